// The graph's data of one thread, and the iterative release of chains of unstored objects.
//
// Such a chain may have any length. An object that is deallocated adds its links to the release
// under way (see DeferredRelease.swift), or begins one.

/// The graph's data of one thread.
final class GraphThreadState: ThreadContextKey {
  static var defaultValue: GraphThreadState? { nil }

  /// The properties of each class that refer to objects, looked up once per class.
  private var linking: [ObjectIdentifier: [Property]] = [:]
  /// The properties that the key paths read on this thread lead to.
  let resolver = PropertyResolver()
  /// The store that is delivering a change set; see Changes/PathSource.swift.
  var currentStore: CurrentStore?
  /// The type and the object of the projection that is being created for one evaluation of a
  /// condition or sort key.
  var temporaryProjection: (type: ObjectIdentifier, object: ObjectIdentifier)?

  /// This thread's instance.
  static var current: GraphThreadState {
    if let present = ThreadContext[GraphThreadState.self] { return present }
    let made = GraphThreadState()
    ThreadContext[GraphThreadState.self] = made
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
  /// Takes the links out of an object that is being deallocated, and releases them one at a time.
  final func releaseLinks() {
    let state = GraphThreadState.current
    for property in state.linkingProperties(of: type(of: self)) {
      Scheduler.deferRelease(property.takeReferences(from: self))
    }
    Scheduler.release()
  }
}
