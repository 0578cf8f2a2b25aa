// The elements of a list, and an edit of one element that they don't have yet.
//
// Order of events. A mutation of the list of a stored object changes a copy, so that other code reads
// the list as it was (Objects/PropertyMutation.swift). The copy shares its nodes with the property:
// an edit would copy those on its way, and those of the property would be released afterwards. So
// the copy notes its first edit of one element.
// - If the mutation ends with that, the property is edited instead (Store+ListEdits.swift): in
//   place, unless another version of the list is held, for example by an earlier entry of the journal.
// - Otherwise the copy gets the edit when it is read or edited again.
//
// All of this is a value: a copy of a list with a noted edit notes it, too. A list that is written to
// a property gets its edit there.

/// The elements of a list; the only stored property of a ``List``.
struct ListContents {
  private enum Pending {
    case nothing
    /// The next edit is noted.
    case awaited
    case edit(NotedEdit)
  }

  /// The elements before the noted edit.
  private var elements: Tree<Object>
  private var pending = Pending.nothing

  init(_ elements: Tree<Object>) { self.elements = elements }

  /// The elements.
  ///
  /// - Complexity: O(1), or O(log *n*) for the first read after an edit was noted.
  var tree: Tree<Object> {
    _read {
      if case .edit(let edit) = pending {
        yield edit.result(of: elements)
      } else {
        yield elements
      }
    }
    _modify {
      settle()
      yield &elements
    }
  }

  /// Notes the next edit instead of making it.
  mutating func awaitEdit() {
    settle()
    pending = .awaited
  }

  /// Whether it neither notes an edit nor awaits one, as in every property.
  var isSettled: Bool { if case .nothing = pending { true } else { false } }

  /// Makes the edit that is noted, and notes no other.
  mutating func settle() {
    if isSettled { return }
    if case .edit(let edit) = pending { elements = edit.result(of: elements) }
    pending = .nothing
  }

  /// Removes an element, inserts one, or replaces one by another.
  ///
  /// - Parameters:
  ///   - position: The position of either.
  ///   - removes: Whether the element at the position is removed.
  ///   - inserted: The element to insert there.
  mutating func edit(at position: Int, removes: Bool, inserting inserted: Object?) {
    if case .awaited = pending {
      let removed = removes ? elements[position] : nil
      pending = .edit(NotedEdit(at: position, removing: removed, inserting: inserted))
      return
    }
    settle()
    elements.edit(at: position, removes: removes, inserting: inserted)
  }

  /// The edit that leads from another list to this one; nil if it isn't known, or was already made
  /// for a reader.
  func notedEdit(of other: ListContents) -> NotedEdit? {
    guard case .edit(let edit) = pending, !edit.isMade, other.isSettled,
      elements.isIdentical(to: other.elements)
    else { return nil }
    return edit
  }
}

/// An edit of one element of a list.
final class NotedEdit {
  let position: Int
  /// The element that was at the position, if it is removed.
  let removed: Object?
  let inserted: Object?
  /// The elements after the edit, for further reads.
  @safe @exclusivity(unchecked) private var result: Tree<Object>?

  init(at position: Int, removing removed: Object?, inserting inserted: Object?) {
    self.position = position
    self.removed = removed
    self.inserted = inserted
  }

  /// Whether a reader needed the result.
  var isMade: Bool { result != nil }

  /// The elements after the edit.
  ///
  /// - Parameter elements: The elements before it, the same ones in each call.
  fileprivate func result(of elements: Tree<Object>) -> Tree<Object> {
    if let result { return result }
    var edited = elements
    make(in: &edited)
    result = edited
    return edited
  }

  /// Makes the edit.
  func make(in elements: inout Tree<Object>) {
    elements.edit(at: position, removes: removed != nil, inserting: inserted)
  }

  /// Whether elements may be those after the edit, for invariant checks.
  func leads(to elements: Tree<Object>) -> Bool {
    guard let inserted else { return position <= elements.count }
    return position < elements.count && elements[position] === inserted
  }

  /// Takes the edit back, in elements that nothing else has changed since.
  func revert(in elements: inout Tree<Object>) {
    elements.edit(at: position, removes: inserted != nil, inserting: removed)
  }
}

extension Tree<Object> {
  fileprivate mutating func edit(at position: Int, removes: Bool, inserting element: Object?) {
    switch (removes, element) {
    case (true, let element?): replace(at: position, with: element)
    case (true, nil): remove(at: position)
    case (false, let element?): insert(element, at: position)
    case (false, nil): break
    }
  }
}
