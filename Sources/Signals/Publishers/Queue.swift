/// A first-in, first-out queue.
///
/// An element is released as soon as it is taken. A queue that is filled and emptied repeatedly
/// allocates nothing.
///
/// - Complexity: Appending and removing are amortized O(1).
@usableFromInline
struct Queue<Element> {
  @usableFromInline var slots: [Element?] = []
  /// The index of the first element.
  @usableFromInline var head = 0

  @inlinable
  init() {}

  @inlinable var isEmpty: Bool { head == slots.count }
  @inlinable var count: Int { slots.count - head }
  @inlinable var first: Element? { isEmpty ? nil : slots[head] }
  /// All elements, in order.
  @inlinable var elements: [Element] { slots[head...].compactMap { $0 } }

  @inlinable
  mutating func append(_ element: Element) { slots.append(element) }

  @inlinable
  mutating func popFirst() -> Element? {
    guard head < slots.count else { return nil }
    let element = slots[head].take()
    head += 1
    if head == slots.count {
      slots.removeAll(keepingCapacity: head <= 1024)
      head = 0
    } else if head >= 16, head * 2 >= slots.count {
      slots.removeFirst(head)
      head = 0
    }
    return element
  }
}
