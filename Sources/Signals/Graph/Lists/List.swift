/// An ordered collection of objects as a value: what a ``Links`` property holds.
///
/// - Copying is O(1), and a copy is independent: sorting a copy does not edit the model.
/// - Reading or changing an element is O(log n).
/// - An edit of a property, however it is made, is one change of that property; equal lists are no change.
///
/// ```swift
/// try store.write {
///   library.available.remove(book)
///   member.borrowed.append(book)
/// }
/// ```
public struct List<Element: Object> {
  var tree: Tree<Object>

  init(tree: Tree<Object>) { self.tree = tree }

  /// Creates an empty list.
  public init() { tree = Tree() }

  /// The first position of an object.
  ///
  /// O(n), by identity.
  public func firstIndex(of element: Element) -> Int? { position(of: element) }

  func position(of element: Object) -> Int? {
    var index = 0
    for object in tree {
      if object === element { return index }
      index += 1
    }
    return nil
  }

  /// Whether an object is a member.
  ///
  /// O(n), by identity.
  public func contains(_ element: Element) -> Bool { position(of: element) != nil }

  /// Removes the first occurrence of an object; the answer is whether there was one.
  ///
  /// O(n).
  @discardableResult
  public mutating func remove(_ element: Element) -> Bool {
    guard let index = position(of: element) else { return false }
    tree.remove(at: index)
    return true
  }

  /// Moves the elements at `offsets` so that they stand before the element now at `destination`.
  ///
  /// `destination` counts in the list as it is before the move, and may be its end. Offsets outside
  /// the list trap. O(n).
  public mutating func move(fromOffsets offsets: [Int], toOffset destination: Int) {
    if destination < 0 || destination > count { trapOutside("destination \(destination)") }
    let moving = Set(offsets)
    checkOffsets(moving)
    guard !moving.isEmpty else { return }
    let elements = Array(tree)
    func part(_ range: Range<Int>, _ moved: Bool) -> [Object] {
      range.filter { moving.contains($0) == moved }.map { elements[$0] }
    }
    tree = Tree(
      part(0..<destination, false) + part(0..<count, true) + part(destination..<count, false))
  }

  /// Removes the elements at `offsets`; offsets outside the list trap.
  ///
  /// O(k log n).
  public mutating func remove(atOffsets offsets: [Int]) {
    let removing = Set(offsets)
    checkOffsets(removing)
    for offset in removing.sorted().reversed() { tree.remove(at: offset) }
  }

  private func checkOffsets(_ offsets: Set<Int>) {
    for offset in offsets.sorted() where offset < 0 || offset >= count {
      trapOutside("offset \(offset)")
    }
  }
}

extension List {
  private func check(_ range: Range<Int>) {
    if range.lowerBound < 0 || range.upperBound > count { trapOutside("range \(range)") }
  }

  /// Stops the program because of a place that the list does not have.
  @inline(never)
  private func trapOutside(_ place: String) -> Never {
    trap("\(nameOfOwner ?? "List<\(Element.self)>"): \(place) is outside of a list of \(count)")
  }

  /// The property that has this list, for messages: a list itself is a value and does not know.
  ///
  /// It is the property that is being changed, or one of a stored object that links to the first member.
  private var nameOfOwner: String? {
    var places = PropertyAccess.underWay.map { [$0] } ?? []
    for entry in unsafe tree.first?.backlinks?.entries ?? [] {
      unsafe places.append((entry.source, entry.offset))
    }
    return places.first { object, offset in
      let property = Schema(of: type(of: object)).property(at: offset)
      guard property?.type == Links<Element>.self else { return false }
      let storage = unsafe object.storage(at: offset)
      return unsafe storage.assumingMemoryBound(to: Tree<Object>.self).pointee.isIdentical(to: tree)
    }.map { object, offset in object.describeProperty(at: offset) }
  }
}

extension List: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
  /// The position of the first element: 0.
  public var startIndex: Int { 0 }

  /// The number of elements.
  public var endIndex: Int { tree.count }

  /// The number of elements.
  public var count: Int { tree.count }

  /// The element at a position, which must be one.
  public subscript(position: Int) -> Element {
    get {
      if position < 0 || position >= count { trapOutside("index \(position)") }
      return List.typed(tree[position])
    }
    set {
      if position < 0 || position >= count { trapOutside("index \(position)") }
      tree.replace(at: position, with: newValue)
    }
  }

  /// The elements of a range; others may be put in their place, more or fewer.
  ///
  /// Reading is O(1), replacing O(slice + log n).
  public subscript(bounds: Range<Int>) -> Slice<List> {
    get {
      check(bounds)
      return Slice(base: self, bounds: bounds)
    }
    set { replaceSubrange(bounds, with: newValue) }
  }

  /// Replaces a range of elements.
  ///
  /// O(changed + log n).
  public mutating func replaceSubrange(
    _ range: Range<Int>, with elements: some Collection<Element>
  ) {
    check(range)
    tree.replaceSubrange(range, with: elements.map { $0 as Object })
  }

  // The standard library's own say nothing in release where there is nothing to remove.

  /// Removes the element at a position and returns it.
  ///
  /// O(log n).
  @discardableResult
  public mutating func remove(at position: Int) -> Element {
    let element = self[position]
    tree.remove(at: position)
    return element
  }

  /// Removes the first element and returns it; traps if the list is empty.
  ///
  /// O(log n).
  @discardableResult
  public mutating func removeFirst() -> Element { remove(at: 0) }

  /// Removes the last element and returns it; traps if the list is empty.
  ///
  /// O(log n).
  @discardableResult
  public mutating func removeLast() -> Element { remove(at: count - 1) }

  /// Removes so many elements from the start; traps if there are fewer.
  ///
  /// O(k + log n).
  public mutating func removeFirst(_ k: Int) {
    if k < 0 || k > count { trapOutside("a prefix of \(k)") }
    replaceSubrange(0..<k, with: EmptyCollection())
  }

  /// Removes so many elements from the end; traps if there are fewer.
  ///
  /// O(k + log n).
  public mutating func removeLast(_ k: Int) {
    if k < 0 || k > count { trapOutside("a suffix of \(k)") }
    replaceSubrange(count - k..<count, with: EmptyCollection())
  }

  /// Adds an element at the end.
  ///
  /// O(log n).
  public mutating func append(_ element: Element) { tree.append(element) }

  /// The elements of this version, in order; edits made meanwhile do not disturb it.
  public func makeIterator() -> Iterator { Iterator(base: tree.makeIterator()) }

  /// Walks one version of a list.
  public struct Iterator: IteratorProtocol {
    var base: Tree<Object>.Iterator

    /// The next element, or nil after the last.
    public mutating func next() -> Element? { base.next().map { List.typed($0) } }
  }

  // The tree holds objects; nothing but a `List<Element>` puts any there.
  static func typed(_ object: Object) -> Element { unsafe unsafeDowncast(object, to: Element.self) }
}

extension List: Equatable {
  /// Two lists are equal if they hold the same instances in the same order.
  ///
  /// O(1) for copies, a few
  /// nodes for each edit that made one from the other, else O(n).
  public static func == (lhs: List, rhs: List) -> Bool {
    if lhs.tree.isIdentical(to: rhs.tree) { return true }
    guard lhs.count == rhs.count else { return false }
    return Tree.difference(from: lhs.tree, to: rhs.tree).isEmpty
  }
}

extension List: ExpressibleByArrayLiteral, CustomStringConvertible {
  /// Creates a list of the given objects.
  public init(arrayLiteral elements: Element...) { self.init(elements) }

  /// How messages show it.
  public var description: String { "[\(map(\.objectID.description).joined(separator: ", "))]" }
}
