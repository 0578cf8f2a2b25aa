import SignalsTerminal
import Testing

@Suite struct `Layout, a window on a flow` {
  /// Rows of some heights, which counts how many were asked for.
  final class Rows: Flow {
    let count: Int
    let height: (Int) -> Int
    private(set) var asked = 0

    init(_ count: Int, height: @escaping (Int) -> Int = { _ in 1 }) {
      self.count = count
      self.height = height
    }

    func first() -> Int? { count > 0 ? 0 : nil }
    func next(after place: Int) -> Int? { place + 1 < count ? place + 1 : nil }
    func previous(before place: Int) -> Int? { place > 0 ? place - 1 : nil }
    func height(of place: Int) -> Int {
      asked += 1
      return height(place)
    }
  }

  @Test func `a million rows scroll at the cost of what is seen`() {
    let rows = Rows(1_000_000)
    var position = ScrollPosition<Int>()
    #expect(position.visible(in: rows, height: 40).map(\.place) == Array(0..<40))
    position.reveal(999_999, in: rows, height: 40)
    #expect(position.visible(in: rows, height: 40).map(\.place) == Array(999_960..<1_000_000))
    position.jump(to: 500_000)
    position.scroll(by: -1, in: rows)
    #expect(position.visible(in: rows, height: 40).first?.place == 499_999)
    #expect(rows.asked < 500)
  }

  @Test func `lines of high rows scroll one by one`() {
    let rows = Rows(10) { $0 + 1 }
    var position = ScrollPosition<Int>()
    position.scroll(by: 4, in: rows)
    #expect(position.top == 2)
    #expect(position.offset == 1)
    #expect(position.visible(in: rows, height: 4).map(\.y) == [-1, 2])
    position.scroll(by: -100, in: rows)
    #expect((position.top, position.offset) == (0, 0))
  }

  @Test func `nothing is left free at the end but where there is too little`() {
    let rows = Rows(10)
    var position = ScrollPosition<Int>()
    position.scroll(by: 100, in: rows)
    #expect(position.visible(in: rows, height: 4).map(\.place) == [6, 7, 8, 9])
    var short = ScrollPosition<Int>()
    #expect(short.visible(in: Rows(2), height: 4).map(\.y) == [0, 1])
    var none = ScrollPosition<Int>()
    #expect(none.visible(in: Rows(0), height: 4).isEmpty)
  }

  @Test func `revealing moves as little as it can`() {
    let rows = Rows(100)
    var position = ScrollPosition<Int>()
    position.jump(to: 20)
    position.reveal(22, in: rows, height: 5)
    #expect(position.top == 20)
    position.reveal(25, in: rows, height: 5)
    #expect(position.top == 21)
    position.reveal(19, in: rows, height: 5)
    #expect(position.top == 19)
  }
}
