// Releasing a chain of objects that no store took apart: iterative, however long it is.

/// What objects that are going have referred to, on one thread.
///
/// State: `waiting` is emptied by the outermost `deinit`; `linking` has the properties of each class that
/// refer to objects, looked up once.
struct Orphans {
  fileprivate var waiting: [References] = []
  fileprivate var isReleasing = false
  private var linking: [ObjectIdentifier: [Property]] = [:]

  fileprivate mutating func linkingProperties(of type: Object.Type) -> [Property] {
    if let known = linking[ObjectIdentifier(type)] { return known }
    let properties = Schema(of: type).linking
    linking[ObjectIdentifier(type)] = properties
    return properties
  }
}

extension Object {
  /// Takes the links out of an object that goes, and releases them one at a time.
  final func releaseLinks() {
    let turn = unsafe Turn.current
    for property in unsafe turn.pointee.orphans.linkingProperties(of: type(of: self)) {
      let storage = unsafe storage(at: property.offset)
      let references = unsafe References(property.role, storage)
      unsafe References.clear(property.role, storage)
      unsafe turn.pointee.orphans.waiting.append(references)
    }
    guard unsafe !turn.pointee.orphans.isReleasing else { return }
    unsafe turn.pointee.orphans.isReleasing = true
    while let references = unsafe turn.pointee.orphans.waiting.popLast() {
      withExtendedLifetime(references) {}
    }
    unsafe turn.pointee.orphans.isReleasing = false
  }
}
