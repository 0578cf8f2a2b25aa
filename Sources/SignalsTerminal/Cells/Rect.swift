/// A rectangle of cells, whose size is never negative.
package struct Rect: Hashable, Sendable {
  package var x: Int
  package var y: Int
  package var width: Int
  package var height: Int

  package init(x: Int = 0, y: Int = 0, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = max(0, width)
    self.height = max(0, height)
  }

  package var right: Int { x + width }
  package var bottom: Int { y + height }
  package var isEmpty: Bool { width == 0 || height == 0 }

  package func contains(x: Int, y: Int) -> Bool {
    x >= self.x && x < right && y >= self.y && y < bottom
  }

  package func intersection(_ other: Rect) -> Rect {
    let left = max(x, other.x)
    let top = max(y, other.y)
    return Rect(
      x: left, y: top, width: min(right, other.right) - left,
      height: min(bottom, other.bottom) - top)
  }
}
