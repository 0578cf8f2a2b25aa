// The edit of one element of a stored object's list, made in the list itself.
//
// Order of events. A mutation of the list has noted the edit in a copy, and has ended
// (Lists/ListContents.swift). The copy is released. The inserted object is added to the store, the
// journal notes the edit, and readers and queries are marked. Then the list is edited. Its nodes are
// changed in place if no other version uses them: the journal keeps the edit, and makes the old
// version of it if a subscriber asks for that. Back-links follow the edit, without a comparison.

private import CSignalsThread

extension UncheckedPointer where Pointee == Never {
  /// Lets the list at this place note its next edit.
  @usableFromInline func awaitListEdit() { list.pointee.awaitEdit() }
}

extension Object {
  /// Makes the edit that a copy of the list of a stored object has noted in the property, and frees
  /// the copy.
  ///
  /// - Returns: Whether the copy was freed. Otherwise it has another change, or none, and is to be
  ///   written as a whole.
  @usableFromInline
  final func makeEdit<Property: PropertyStorage>(
    of copy: UncheckedPointer<Property.Value>, in storage: UncheckedPointer<Property>
  ) -> Bool {
    let (copied, list) = (copy.untyped().list, storage.untyped().list)
    guard let store = table?.store, let edit = copied.pointee.notedEdit(of: list.pointee) else {
      copied.pointee.settle()
      return false
    }
    copy.deinitialize()
    copy.deallocate()
    if edit.removed === edit.inserted { return true }
    let offset = storage.offset(in: self)
    Node.checkMayWrite(describeProperty(at: offset))
    store.edit(storage, of: self, at: offset, edit)
    return true
  }

  /// The value of a list before its last edit.
  final func list(at offset: Int, before edit: NotedEdit) -> Any {
    guard let property = Schema(of: type(of: self)).property(at: offset) else {
      trap("\(type(of: self)) has no property at \(offset)")
    }
    return property.editingValue(in: self) {
      if case .list(var tree) = $0 {
        edit.revert(in: &tree)
        $0 = .list(tree)
      }
    }
  }
}

extension Store {
  /// Edits the list of a stored object.
  fileprivate func edit<Property: PropertyStorage>(
    _ storage: UncheckedPointer<Property>, of object: Object, at offset: Int, _ edit: NotedEdit
  ) {
    mutate { transaction in
      guard let table = object.table else { return }
      let list = storage.untyped().list
      let change = ReferenceChange.element(edit)
      let before = list.pointee.tree
      try admit(change, from: object, at: offset)
      try checkStored(object, in: table)
      // A key that the store hashes for that may write the list, which the edit then replaces.
      guard list.pointee.tree.isIdentical(to: before) else {
        var new = storage.pointee.stored
        UncheckedPointer.with(&new) {
          $0.untyped().list.pointee.tree = before
          edit.make(in: &$0.untyped().list.pointee.tree)
        }
        return replace(object, storage, offset, new)
      }
      _ = consume before
      make(edit, in: storage, of: object, at: offset, table, transaction)
    }
  }

  /// Removes an object from a list in the open transaction, if the list has it once.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - property: The property that refers to it.
  ///   - table: The table of the object with the property.
  ///   - entry: The back-link of the property.
  ///   - transaction: The open transaction.
  /// - Returns: Whether it was removed.
  func removeMember(
    _ object: Object, from property: Property, in table: ObjectTable,
    by entry: BacklinkCounts.Entry,
    _ transaction: Transaction
  ) -> Bool {
    guard entry.multiplicity == 1, case .list(let tree) = property.references(in: entry.source),
      let position = tree.positions(of: object, atMost: 1, near: Int(entry.hint)).first
    else { return false }
    _ = consume tree
    let edit = NotedEdit(at: position, removing: object, inserting: nil)
    property.type.make(edit, of: entry.source, at: entry.offset, table, transaction)
    return true
  }

  /// Makes an edit in a list, and updates everything that depends on the list.
  fileprivate func make<Property: PropertyStorage>(
    _ edit: NotedEdit, in storage: UncheckedPointer<Property>, of object: Object, at offset: Int,
    _ table: ObjectTable, _ transaction: Transaction
  ) {
    if signals_is_changing_property() { object.refuseIfChanging(at: offset, for: .written) }
    transaction.journal.save(object, at: offset, before: edit)
    object.markReaders(of: offset, old: ValueBefore<Property>(storage.pointee.stored))
    table.markQueries(of: object, at: offset)
    edit.make(in: &storage.untyped().list.pointee.tree)
    addBacklinks(.element(edit), from: object, at: offset)
  }
}

extension PropertyStorage {
  /// Makes an edit in the list of an object whose type only the property knows.
  fileprivate static func make(
    _ edit: NotedEdit, of object: Object, at offset: Int, _ table: ObjectTable,
    _ transaction: Transaction
  ) {
    let storage = storage(in: object, at: offset)
    table.store.make(edit, in: storage, of: object, at: offset, table, transaction)
  }
}
