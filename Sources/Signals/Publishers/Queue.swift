/// What waits: first come, first served.
///
/// An element is let go of as soon as it is taken. Amortised O(1); a queue that keeps being filled and
/// emptied allocates nothing.
@usableFromInline
struct Queue<Element> {
  @usableFromInline var slots: [Element?] = []
  /// Where the first element is.
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
