/// A growable array of trivial values in its own memory, for state that a thread keeps between
/// turns.
///
/// An `Array` behind a pointer pays a uniqueness check and a retain for each access.
@safe struct Stack<Element: BitwiseCopyable> {
  /// The memory, with room for `capacity` elements.
  private var base: UnsafeMutablePointer<Element>?
  private var capacity = 0
  /// The number of elements in use, from the start of the memory.
  private(set) var count = 0

  init() { unsafe base = nil }

  var isEmpty: Bool {
    @inline(__always) get { count == 0 }
  }

  subscript(index: Int) -> Element {
    @inline(__always) get {
      assert(index < count)
      return unsafe base.unsafelyUnwrapped[index]
    }
  }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { grow() }
    unsafe (base.unsafelyUnwrapped + count).initialize(to: element)
    count += 1
  }

  /// Removes and returns the top element; the stack must not be empty.
  @inline(__always)
  mutating func removeLast() -> Element {
    assert(count > 0)
    count -= 1
    return unsafe base.unsafelyUnwrapped[count]
  }

  @inline(__always)
  mutating func popLast() -> Element? { count == 0 ? nil : removeLast() }

  mutating func removeAll() { count = 0 }

  /// Reverses the elements in place.
  mutating func reverse() {
    var elements = unsafe elements
    unsafe elements.reverse()
  }

  /// Sorts the elements in place.
  mutating func sort(by areInIncreasingOrder: (Element, Element) -> Bool) {
    var elements = unsafe elements
    unsafe elements.sort(by: areInIncreasingOrder)
  }

  /// The elements in use.
  private var elements: UnsafeMutableBufferPointer<Element> {
    unsafe UnsafeMutableBufferPointer(start: base, count: count)
  }

  /// Frees the memory.
  mutating func destroy() {
    unsafe base?.deallocate()
    unsafe base = nil
    (capacity, count) = (0, 0)
  }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: max(16, capacity * 2))
    if let base = unsafe base {
      unsafe larger.initialize(from: base, count: count)
      unsafe base.deallocate()
    }
    unsafe base = larger
    capacity = max(16, capacity * 2)
  }
}
