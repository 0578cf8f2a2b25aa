// The references held by a property, whatever the type of their targets.
//
// Whatever its target type, the storage of a `Link` begins with one optional reference, and that of
// a `Links` is the contents of a list. This file relies on that layout, and so does
// Snapshots/SnapshotColumn.swift.

private import CSignalsThread

/// The references that a property held at one moment.
enum References {
  case link(Object?)
  case list(Tree<Object>)

  /// The objects referred to, in order.
  var targets: [Object] {
    switch self {
    case .link(let target): target.map { [$0] } ?? []
    case .list(let tree): Array(tree)
    }
  }

  /// Calls `body` with each reference; an object that a list holds twice is passed twice.
  func forEach(_ body: (Object) throws -> Void) rethrows {
    switch self {
    case .link(let target): if let target { try body(target) }
    case .list(let tree): for target in tree { try body(target) }
    }
  }
}

/// The difference between two values of a property's references.
enum ReferenceChange {
  case link(from: Object?, to: Object?)
  /// Two versions of a list, and the edits that lead from the first to the second.
  case list(from: Tree<Object>, to: Tree<Object>, [TreeEdit])
  /// One element of a list, whose versions needn't be held.
  case element(NotedEdit)

  /// Compares two values of one property.
  ///
  /// - Complexity: O(changed members)
  init(from old: References, to new: References) {
    switch (old, new) {
    case (.link(let old), .link(let new)): self = .link(from: old, to: new)
    case (.list(let old), .list(let new)):
      self = .list(from: old, to: new, Tree.difference(from: old, to: new))
    case (.link, .list), (.list, .link): self = .link(from: nil, to: nil)
    }
  }

  /// Whether a property still has the references that the change begins with.
  func begins(with references: References) -> Bool {
    switch (self, references) {
    case (.link(let old, _), .link(let present)): old === present
    case (.list(let old, _, _), .list(let present)): old.isIdentical(to: present)
    case (.element, _), (.link, .list), (.list, .link): false
    }
  }

  /// Calls `body`, in order, with each object referred to at a place where it wasn't before.
  func forEachArrival(_ body: (Object) throws -> Void) rethrows {
    switch self {
    case .link(_, let target): if let target { try body(target) }
    case .list(_, let tree, let edits):
      for edit in edits { try tree.forEach(in: edit.newRange) { try body($0) } }
    case .element(let edit): if let target = edit.inserted { try body(target) }
    }
  }

  /// Calls `body` with each object whose number of references differs.
  ///
  /// The arguments are the object, the difference, and the last position at which the new list has
  /// gained it. Objects that only moved are passed with a difference of 0.
  func forEachDifference(_ body: (Object, Int, Int) -> Void) {
    switch self {
    case .link(let old, let new):
      if old === new { return }
      if let old { body(old, -1, 0) }
      if let new { body(new, 1, 0) }
    case .element(let edit):
      if let old = edit.removed { body(old, -1, 0) }
      if let new = edit.inserted { body(new, 1, edit.position) }
    case .list(let old, let new, let edits):
      if edits.count == 1, edits[0].oldRange.count + edits[0].newRange.count == 1 {
        old.forEach(in: edits[0].oldRange) { body($0, -1, 0) }
        new.forEach(in: edits[0].newRange) { body($0, 1, edits[0].newRange.lowerBound) }
        return
      }
      var counts: [Object: (count: Int, place: Int)] = [:]
      for edit in edits {
        old.forEach(in: edit.oldRange) { counts[$0, default: (0, 0)].count -= 1 }
        var place = edit.newRange.lowerBound
        new.forEach(in: edit.newRange) {
          let count = counts[$0]?.count ?? 0
          counts[$0] = (count + 1, place)
          place += 1
        }
      }
      for (object, (count, place)) in counts { body(object, count, place) }
    }
  }
}

extension Object {
  /// Calls `body` with every object that this one refers to, and the referring property.
  func forEachTarget(in schema: Schema, _ body: (Object, Property) throws -> Void) rethrows {
    for property in schema.linking {
      try property.references(in: self).forEach { try body($0, property) }
    }
  }
}

extension References {
  /// Removes every reference to an object.
  ///
  /// - Parameter entry: The back-link entry of these references, which makes them faster to find.
  /// - Complexity: For a list of *n* members O(*n*) without an entry, and O(log *n* + *d*) with
  ///   one, where *d* is how far other edits have moved the object, as in `Store.delete(_:)`.
  mutating func remove(_ object: Object, near entry: BacklinkCounts.Entry? = nil) {
    switch self {
    case .link: self = .link(nil)
    case .list(var tree):
      let positions = tree.positions(
        of: object, atMost: entry?.multiplicity ?? .max, near: entry.map { Int($0.hint) } ?? 0)
      for position in positions.reversed() { tree.remove(at: position) }
      self = .list(tree)
    }
  }

  /// Removes every reference.
  mutating func removeAll() {
    switch self {
    case .link: self = .link(nil)
    case .list: self = .list(Tree())
    }
  }

  /// Replaces objects by others.
  mutating func replace(_ others: [Object: Object]) {
    switch self {
    case .link(let target): if let other = target.flatMap({ others[$0] }) { self = .link(other) }
    case .list(let tree):
      if tree.contains(where: { others[$0] != nil }) {
        self = .list(Tree(tree.map { others[$0] ?? $0 }))
      }
    }
  }
}

// The memory of links and lists.

extension UntypedPointer {
  /// The contents of the list at this place, whatever the type of its elements.
  var list: UncheckedPointer<ListContents> { unsafe field(as: ListContents.self) }
}

extension References {
  /// Reads the references of a property from its storage, or from a value of it.
  init(_ role: PropertyRole, at storage: UntypedPointer) {
    switch role {
    case .link: self = unsafe .link(storage.field(as: Object?.self).pointee)
    case .links: self = .list(storage.list.pointee.tree)
    case .field, .primaryKey, .indexed, .inverse: self = .link(nil)
    }
  }

  /// Writes the references of a link or list to its storage, or to a value of it.
  fileprivate func store(to storage: UntypedPointer) {
    switch self {
    case .link(let target): unsafe storage.field(as: Object?.self).pointee = target
    case .list(let tree): storage.list.pointee = ListContents(tree)
    }
  }
}

extension Property {
  /// Sets the references of a link or list of an object that isn't stored.
  func setReferences(_ references: References, of object: Object) {
    unsafe references.store(to: UntypedPointer(at: offset, of: object))
  }
}

extension PropertyStorage {
  /// Returns the references of a value; none if it isn't one of a link or list.
  fileprivate static func references(of value: Any) -> References {
    guard role == .link || role == .links, var value = value as? Value else { return .link(nil) }
    return UncheckedPointer.with(&value) { References(role, at: $0.untyped()) }
  }

  /// Returns a value of a link or list with edited references.
  fileprivate static func editing(_ value: Any, by edit: (inout References) -> Void) -> Any {
    guard var copy = value as? Value else { return value }
    self.edit(&copy, by: edit)
    return copy
  }

  /// Returns the current value of a link or list with edited references.
  fileprivate static func editingValue(
    in object: Object, at offset: Int, by edit: (inout References) -> Void
  ) -> Any {
    var copy = storage(in: object, at: offset).pointee.stored
    self.edit(&copy, by: edit)
    return copy
  }

  private static func edit(_ value: inout Value, by edit: (inout References) -> Void) {
    UncheckedPointer.with(&value) { pointer in
      var references = References(role, at: pointer.untyped())
      edit(&references)
      references.store(to: pointer.untyped())
    }
  }
}

extension Property {
  private func storage(in object: Object) -> UntypedPointer {
    unsafe UntypedPointer(at: offset, of: object)
  }

  /// Returns the references that the property of an object holds.
  func references(in object: Object) -> References {
    References(role, at: storage(in: object))
  }

  /// Stores the references of a link or list, and updates no log, reader or back-link.
  func setReferences(_ references: References, in object: Object) {
    references.store(to: storage(in: object))
  }

  /// Whether a list notes no edit, for invariant checks.
  func isSettledList(in object: Object) -> Bool { storage(in: object).list.pointee.isSettled }

  /// Takes the references out of a link or list, and updates no log, reader or back-link.
  func takeReferences(from object: Object) -> References {
    let references = references(in: object)
    var empty = references
    empty.removeAll()
    setReferences(empty, in: object)
    return references
  }

  /// Returns the objects that the property refers to, in order.
  func targets(in object: Object) -> [Object] { references(in: object).targets }

  /// Returns the objects that a value of the property refers to, in order.
  func targets(of value: Any) -> [Object] { references(of: value).targets }

  /// Returns the references of a value of the property.
  func references(of value: Any) -> References { type.references(of: value) }

  /// Returns a value of a link or list with edited references.
  func editing(_ value: Any, by edit: (inout References) -> Void) -> Any {
    type.editing(value, by: edit)
  }

  /// Returns the current value of a link or list with edited references.
  func editingValue(in object: Object, by edit: (inout References) -> Void) -> Any {
    if signals_is_changing_property() { object.refuseIfChanging(at: offset, for: .readElsewhere) }
    return type.editingValue(in: object, at: offset, by: edit)
  }

  /// Returns the current value of the property, with objects that it refers to replaced by others.
  func value(in object: Object, replacing others: [Object: Object]) -> Any {
    value(value(in: object), replacing: others)
  }

  /// Returns a value with objects that it refers to replaced by others.
  func value(_ value: Any, replacing others: [Object: Object]) -> Any {
    if others.isEmpty || role != .link && role != .links { return value }
    return type.editing(value) { $0.replace(others) }
  }
}
