// Releasing a chain of objects that no store took apart: iterative, however long it is.
//
// An object that goes leaves its links to the release under way (see LettingGo.swift), or begins one.

/// What the graph keeps for one thread.
///
/// State: `linking` has the properties of each class that refer to objects, looked up once.
final class Orphans {
  private var linking: [ObjectIdentifier: [Property]] = [:]
  /// The store that is delivering a change set; see PropertyPaths.swift.
  var storeAtHand: StoreAtHand?
  /// What a higher room makes of an object for one evaluation of a condition, and the object.
  var transient: (type: ObjectIdentifier, object: ObjectIdentifier)?

  /// This thread's; nobody but this file attaches anything to a turn.
  static var current: Orphans {
    if let present = unsafe Turn.current.pointee.attachment {
      return unsafe unsafeDowncast(present, to: Orphans.self)
    }
    let made = Orphans()
    unsafe Turn.current.pointee.attachment = made
    return made
  }

  fileprivate func linkingProperties(of type: Object.Type) -> [Property] {
    if let known = linking[ObjectIdentifier(type)] { return known }
    let properties = Schema(of: type).linking
    linking[ObjectIdentifier(type)] = properties
    return properties
  }
}

extension Object {
  /// Takes the links out of an object that goes, and releases them one at a time.
  final func releaseLinks() {
    let orphans = Orphans.current
    for property in orphans.linkingProperties(of: type(of: self)) {
      let storage = unsafe storage(at: property.offset)
      let references = unsafe References(property.role, storage)
      unsafe References.clear(property.role, storage)
      Turn.leave(references)
    }
    Turn.letGo()
  }
}
