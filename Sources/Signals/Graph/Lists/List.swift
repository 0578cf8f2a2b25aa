/// An ordered collection of objects; the value of a ``Links`` property.
///
/// - Copying is O(1), and a copy is independent: sorting a copy doesn't edit the model.
/// - Reading or changing an element is O(log *n*), where *n* is the length of the list.
/// - Each edit of a property, however it is made, is one change of that property. Replacing the
///   list by an equal one isn't a change.
///
/// ```swift
/// try store.write {
///   library.available.remove(book)
///   member.borrowed.append(book)
/// }
/// ```
public struct List<Element: Object> {
  private var contents: ListContents

  init(tree: Tree<Object>) { contents = ListContents(tree) }

  /// Creates an empty list.
  public init() { contents = ListContents(Tree()) }

  /// The list without a noted edit, for a property.
  @usableFromInline
  func settled() -> List { contents.isSettled ? self : List(tree: tree) }

  /// The elements.
  var tree: Tree<Object> {
    _read { yield contents.tree }
    _modify { yield &contents.tree }
  }

  /// Returns the first position of an object, compared by identity.
  ///
  /// - Parameter element: The object to find.
  /// - Returns: The position, or `nil` if the list doesn't contain the object.
  /// - Complexity: O(*n*), where *n* is the length of the list.
  public func firstIndex(of element: Element) -> Int? { position(of: element) }

  func position(of element: Object) -> Int? {
    var index = 0
    for object in tree {
      if object === element { return index }
      index += 1
    }
    return nil
  }

  /// Returns whether the list contains an object, compared by identity.
  ///
  /// - Parameter element: The object to find.
  /// - Returns: Whether the object is a member.
  /// - Complexity: O(*n*), where *n* is the length of the list.
  public func contains(_ element: Element) -> Bool { position(of: element) != nil }

  /// Removes the first occurrence of an object, compared by identity.
  ///
  /// - Parameter element: The object to remove.
  /// - Returns: Whether the list contained the object.
  /// - Complexity: O(*n*), where *n* is the length of the list.
  @discardableResult
  public mutating func remove(_ element: Element) -> Bool {
    guard let index = position(of: element) else { return false }
    contents.edit(at: index, removes: true, inserting: nil)
    return true
  }

  /// Moves the elements at `offsets` to before the element that is now at `destination`.
  ///
  /// The moved elements keep their order. Offsets outside the list trap.
  ///
  /// - Parameters:
  ///   - offsets: The positions of the elements to move.
  ///   - destination: A position in the list as it is before the move, or its end.
  /// - Complexity: O(*k* log *n*), where *k* is the number of offsets and *n* the length of the
  ///   list.
  public mutating func move(fromOffsets offsets: [Int], toOffset destination: Int) {
    if destination < 0 || destination > count { trapOutside("destination \(destination)") }
    let moving = Set(offsets)
    checkOffsets(moving)
    guard !moving.isEmpty else { return }
    var moved: [Object] = []
    var place = destination
    for offset in moving.sorted().reversed() {
      moved.append(tree.remove(at: offset))
      if offset < destination { place -= 1 }
    }
    tree.replaceSubrange(place..<place, with: moved.reversed())
  }

  /// Removes the elements at `offsets`; offsets outside the list trap.
  ///
  /// - Parameter offsets: The positions, in any order.
  /// - Complexity: O(*k* log *n*), where *k* is the number of offsets and *n* the length of the
  ///   list.
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

  /// Traps because of a position that is outside of the list.
  @inline(never)
  private func trapOutside(_ place: String) -> Never {
    trap("\(nameOfOwner ?? "List<\(Element.self)>"): \(place) is outside of a list of \(count)")
  }

  /// The name of the property that has this list, for messages.
  ///
  /// A list is a value and has no reference to its property. This checks the property that is being
  /// changed, and the properties of stored objects that link to the first member.
  private var nameOfOwner: String? {
    var places = ExclusiveAccess.underWay.map { [$0] } ?? []
    for entry in tree.first?.backlinks?.entries ?? [] {
      places.append((entry.source, entry.offset))
    }
    return places.first { object, offset in
      let property = Schema(of: type(of: object)).property(at: offset)
      return property?.type == Links<Element>.self
        && Links<Element>.wrapper(in: object, at: offset).stored.tree.isIdentical(to: tree)
    }.map { object, offset in object.describeProperty(at: offset) }
  }
}

extension List: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
  /// The position of the first element, always 0.
  public var startIndex: Int { 0 }

  /// The position after the last element, which is `count`.
  public var endIndex: Int { tree.count }

  /// The number of elements.
  public var count: Int { tree.count }

  /// Accesses the element at a position; a position outside the list traps.
  ///
  /// - Parameter position: The position of the element.
  /// - Complexity: O(log *n*), where *n* is the length of the list.
  public subscript(position: Int) -> Element {
    get {
      if position < 0 || position >= count { trapOutside("index \(position)") }
      return List.typed(tree[position])
    }
    set {
      if position < 0 || position >= count { trapOutside("index \(position)") }
      contents.edit(at: position, removes: true, inserting: newValue)
    }
  }

  /// Accesses the elements of a range, which can be replaced by more or fewer elements.
  ///
  /// A range outside the list traps.
  ///
  /// - Parameter bounds: The positions of the elements.
  /// - Complexity: O(1) for reading, and O(*k* + log *n*) for writing, where *k* is the length of
  ///   the slice and *n* the length of the list.
  public subscript(bounds: Range<Int>) -> Slice<List> {
    get {
      check(bounds)
      return Slice(base: self, bounds: bounds)
    }
    set { replaceSubrange(bounds, with: newValue) }
  }

  /// Replaces a range of elements by others; a range outside the list traps.
  ///
  /// - Parameters:
  ///   - range: The positions to replace.
  ///   - elements: The elements to insert there.
  /// - Complexity: O(*k* + log *n*), where *k* is the number of elements removed and inserted, and
  ///   *n* the length of the list.
  public mutating func replaceSubrange(
    _ range: Range<Int>, with elements: some Collection<Element>
  ) {
    check(range)
    let elements = elements.map { $0 as Object }
    if range.count <= 1, elements.count <= 1 {
      contents.edit(at: range.lowerBound, removes: !range.isEmpty, inserting: elements.first)
    } else {
      tree.replaceSubrange(range, with: elements)
    }
  }

  /// Inserts an element; a position outside the list traps.
  ///
  /// - Parameters:
  ///   - element: The object to insert.
  ///   - position: The position of the element that follows, or `endIndex`.
  /// - Complexity: O(log *n*), where *n* is the length of the list.
  public mutating func insert(_ element: Element, at position: Int) {
    check(position..<position)
    contents.edit(at: position, removes: false, inserting: element)
  }

  // In release builds, the standard library's versions trap without a message if elements are
  // missing.

  /// Removes the element at a position and returns it; a position outside the list traps.
  ///
  /// - Parameter position: The position of the element.
  /// - Returns: The removed element.
  /// - Complexity: O(log *n*), where *n* is the length of the list.
  @discardableResult
  public mutating func remove(at position: Int) -> Element {
    let element = self[position]
    contents.edit(at: position, removes: true, inserting: nil)
    return element
  }

  /// Removes the first element and returns it; traps if the list is empty.
  ///
  /// - Returns: The removed element.
  /// - Complexity: O(log *n*), where *n* is the length of the list.
  @discardableResult
  public mutating func removeFirst() -> Element { remove(at: 0) }

  /// Removes the last element and returns it; traps if the list is empty.
  ///
  /// - Returns: The removed element.
  /// - Complexity: O(log *n*), where *n* is the length of the list.
  @discardableResult
  public mutating func removeLast() -> Element { remove(at: count - 1) }

  /// Removes the first `k` elements; traps if there are fewer.
  ///
  /// - Parameter k: The number of elements to remove.
  /// - Complexity: O(*k* + log *n*), where *n* is the length of the list.
  public mutating func removeFirst(_ k: Int) {
    if k < 0 || k > count { trapOutside("a prefix of \(k)") }
    replaceSubrange(0..<k, with: EmptyCollection())
  }

  /// Removes the last `k` elements; traps if there are fewer.
  ///
  /// - Parameter k: The number of elements to remove.
  /// - Complexity: O(*k* + log *n*), where *n* is the length of the list.
  public mutating func removeLast(_ k: Int) {
    if k < 0 || k > count { trapOutside("a suffix of \(k)") }
    replaceSubrange(count - k..<count, with: EmptyCollection())
  }

  /// Adds an element at the end.
  ///
  /// - Parameter element: The object to add.
  /// - Complexity: O(log *n*), where *n* is the length of the list.
  public mutating func append(_ element: Element) {
    contents.edit(at: count, removes: false, inserting: element)
  }

  /// Returns an iterator over this version of the list, which later edits don't affect.
  ///
  /// - Returns: The iterator.
  public func makeIterator() -> Iterator { Iterator(base: tree.makeIterator()) }

  /// An iterator over one version of a list.
  public struct Iterator: IteratorProtocol {
    var base: Tree<Object>.Iterator

    /// Returns the next element, or `nil` after the last.
    ///
    /// - Returns: The element, or `nil` at the end.
    public mutating func next() -> Element? { base.next().map { List.typed($0) } }
  }

  // Only objects of type `Element` are put into the tree of a `List<Element>`.
  static func typed(_ object: Object) -> Element { knownDowncast(object, to: Element.self) }
}

extension List: Equatable {
  /// Returns whether two lists hold the same instances in the same order.
  ///
  /// - Parameters:
  ///   - lhs: A value to compare.
  ///   - rhs: Another value to compare.
  /// - Returns: Whether the two are equal.
  /// - Complexity: O(1) for copies. If one list was made from the other by edits, a few tree nodes
  ///   are compared for each edit. Otherwise O(*n*), where *n* is the length of the lists.
  public static func == (lhs: List, rhs: List) -> Bool {
    if lhs.tree.isIdentical(to: rhs.tree) { return true }
    guard lhs.count == rhs.count else { return false }
    return Tree.difference(from: lhs.tree, to: rhs.tree).isEmpty
  }
}

extension List: ExpressibleByArrayLiteral, CustomStringConvertible {
  /// Creates a list of the given objects, in order.
  ///
  /// - Parameter elements: The objects.
  public init(arrayLiteral elements: Element...) { self.init(elements) }

  /// The ids of the elements, for messages: `[#1, #2]`.
  public var description: String { "[\(map(\.objectID.description).joined(separator: ", "))]" }
}
