// The references held by a property, whatever the type of their targets.
//
// Whatever its target type, the storage of a `Link` begins with one optional reference, and that of
// a `Links` with one tree of objects. This file relies on that layout. So do Lists/List.swift,
// Snapshots/SnapshotColumn.swift, Snapshots/SnapshotObjects.swift and Drafts/DraftCommit.swift.

private import CSignalsThread

/// The references that a property held at one moment.
enum References {
  case link(Object?)
  case list(Tree<Object>)

  init(_ role: PropertyRole, _ storage: UnsafeRawPointer) {
    switch role {
    case .link: self = unsafe .link(storage.assumingMemoryBound(to: Object?.self).pointee)
    case .links: self = unsafe .list(storage.assumingMemoryBound(to: Tree<Object>.self).pointee)
    case .field, .primaryKey, .indexed, .inverse: self = .link(nil)
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
struct ReferenceChange {
  let old: References
  let new: References
  /// The edits that lead from the old list to the new one; empty for links.
  private let edits: [TreeEdit]

  /// Compares two values of one property.
  ///
  /// - Complexity: O(changed members)
  init(from old: References, to new: References) {
    self.old = old
    self.new = new
    if case (.list(let old), .list(let new)) = (old, new) {
      edits = Tree.difference(from: old, to: new)
    } else {
      edits = []
    }
  }

  /// Calls `body`, in order, with each object referred to at a place where it wasn't before.
  func forEachArrival(_ body: (Object) throws -> Void) rethrows {
    switch new {
    case .link(let target): if let target { try body(target) }
    case .list(let tree):
      for edit in edits { try tree.forEach(in: edit.newRange) { try body($0) } }
    }
  }

  /// Calls `body` with each object whose number of references differs.
  ///
  /// The arguments are the object, the difference, and the last position at which the new list has
  /// gained it. Objects that only moved are passed with a difference of 0.
  func forEachDifference(_ body: (Object, Int, Int) -> Void) {
    switch (old, new) {
    case (.link(let old), .link(let new)):
      if old === new { return }
      if let old { body(old, -1, 0) }
      if let new { body(new, 1, 0) }
    case (.list(let old), .list(let new)):
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
    case (.link, .list), (.list, .link): break
    }
  }
}

extension Object {
  /// Calls `body` with every object that this one refers to, and the referring property.
  func forEachTarget(_ schema: Schema, _ body: (Object, Property) throws -> Void) rethrows {
    for property in schema.linking {
      unsafe try References(property.role, storage(at: property.offset)).forEach {
        try body($0, property)
      }
    }
  }
}

extension References {
  /// Removes every reference to an object from a property's storage.
  ///
  /// - Parameter entry: The back-link entry of these references, which makes them faster to find.
  /// - Complexity: For a list of *n* members O(*n*) without an entry, and O(log *n* + *d*) with
  ///   one, where *d* is how far other edits have moved the object, as in `Store.delete(_:)`.
  static func remove(
    _ object: Object, _ role: PropertyRole, _ storage: UnsafeMutableRawPointer,
    _ entry: BacklinkCounts.Entry? = nil
  ) {
    switch role {
    case .link: unsafe clear(role, storage)
    case .links:
      let tree = unsafe storage.assumingMemoryBound(to: Tree<Object>.self)
      let positions = unsafe tree.pointee.positions(
        of: object, atMost: entry?.multiplicity ?? .max, near: entry.map { Int($0.hint) } ?? 0)
      for position in positions.reversed() { unsafe tree.pointee.remove(at: position) }
    case .field, .primaryKey, .indexed, .inverse: break
    }
  }

  /// Removes every reference from a property's storage.
  static func clear(_ role: PropertyRole, _ storage: UnsafeMutableRawPointer) {
    switch role {
    case .link: unsafe storage.assumingMemoryBound(to: Object?.self).pointee = nil
    case .links: unsafe storage.assumingMemoryBound(to: Tree<Object>.self).pointee = Tree()
    case .field, .primaryKey, .indexed, .inverse: break
    }
  }
}

extension References {
  /// Replaces objects that a property's storage refers to by others.
  static func replace(
    _ others: [Object: Object], _ role: PropertyRole, _ storage: UnsafeMutableRawPointer
  ) {
    switch role {
    case .link:
      let link = unsafe storage.assumingMemoryBound(to: Object?.self)
      if let other = unsafe link.pointee.flatMap({ others[$0] }) { unsafe link.pointee = other }
    case .links:
      let tree = unsafe storage.assumingMemoryBound(to: Tree<Object>.self)
      let members = unsafe Array(tree.pointee)
      if members.contains(where: { others[$0] != nil }) {
        unsafe tree.pointee = Tree(members.map { others[$0] ?? $0 })
      }
    case .field, .primaryKey, .indexed, .inverse: break
    }
  }
}

extension Property {
  /// Returns the objects that the property refers to, in order.
  func targets(in object: Object) -> [Object] {
    var targets: [Object] = []
    unsafe References(role, object.storage(at: offset)).forEach { targets.append($0) }
    return targets
  }

  /// Returns the value of the property, with objects that it refers to replaced by others.
  func value(in object: Object, replacing others: [Object: Object]) -> Any {
    func open<P: StoredProperty>(_ type: P.Type) -> Any {
      if signals_is_changing_property() { object.refuseIfChanging(offset, .readElsewhere) }
      var copy = unsafe object.storage(at: offset).assumingMemoryBound(to: P.self).pointee
      unsafe withUnsafeMutablePointer(to: &copy) { unsafe References.replace(others, role, $0) }
      return copy.stored
    }
    return others.isEmpty ? value(in: object) : open(self.type)
  }
}
