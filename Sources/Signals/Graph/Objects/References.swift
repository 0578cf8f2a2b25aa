// The references in a property, whatever their type.
//
// A `Link` is one optional reference at the start of its storage whatever the type of its target, and a
// `Links` one tree of objects: both are reached through one layout. This is the only file that relies
// on it.

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

  /// Calls `body` with each reference; an object that a list holds twice comes twice.
  func forEach(_ body: (Object) throws -> Void) rethrows {
    switch self {
    case .link(let target): if let target { try body(target) }
    case .list(let tree): for target in tree { try body(target) }
    }
  }
}

/// How the references of a property change.
struct ReferenceChange {
  let old: References
  let new: References
  /// Where lists differ.
  private let edits: [TreeEdit]

  /// Compares two values of one property.
  ///
  /// O(changed).
  init(from old: References, to new: References) {
    self.old = old
    self.new = new
    if case (.list(let old), .list(let new)) = (old, new) {
      edits = Tree.difference(from: old, to: new)
    } else {
      edits = []
    }
  }

  /// Calls `body` with each object that is referred to where it was not before, in order.
  func forEachArrival(_ body: (Object) throws -> Void) rethrows {
    switch new {
    case .link(let target): if let target { try body(target) }
    case .list(let tree):
      for edit in edits { try tree.forEach(in: edit.newRange) { try body($0) } }
    }
  }

  /// Calls `body` with each object referred to more or less often than before, how much more, and where
  /// in the new list it came last; also with those that only moved.
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
  /// Calls `body` with every object that this one refers to, and the property that does.
  func forEachTarget(_ schema: Schema, _ body: (Object, Property) throws -> Void) rethrows {
    for property in schema.linking {
      unsafe try References(property.role, storage(at: property.offset)).forEach {
        try body($0, property)
      }
    }
  }
}

extension References {
  /// Takes every reference to an object out of a property's storage.
  ///
  /// Of a list O(n), or if the back-link is given that stands for them, O(log n + d) as `Store.delete`.
  static func remove(
    _ object: Object, _ role: PropertyRole, _ storage: UnsafeMutableRawPointer,
    _ entry: IncomingLinks.Entry? = nil
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

  /// Takes every reference out of a property's storage.
  static func clear(_ role: PropertyRole, _ storage: UnsafeMutableRawPointer) {
    switch role {
    case .link: unsafe storage.assumingMemoryBound(to: Object?.self).pointee = nil
    case .links: unsafe storage.assumingMemoryBound(to: Tree<Object>.self).pointee = Tree()
    case .field, .primaryKey, .indexed, .inverse: break
    }
  }
}

extension References {
  /// Puts others in the place of objects that a property's storage refers to.
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
  /// The objects that a property refers to, in order.
  func targets(in object: Object) -> [Object] {
    var targets: [Object] = []
    unsafe References(role, object.storage(at: offset)).forEach { targets.append($0) }
    return targets
  }

  /// The value of a property, with others in the place of objects that it refers to.
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
