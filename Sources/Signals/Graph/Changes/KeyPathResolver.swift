// Finding the property of a key path.
//
// State: `known`, the property name of each key path that was evaluated. It is behind a lock,
// because a key path that was resolved in one isolation domain serves all domains. The store that
// is delivering a change set belongs to the thread.

/// The source of an object on which a key path can be evaluated.
enum PathSource {
  /// The store that is delivering a change set on this thread, if any.
  case current
  case store(Store)
  case object(Object)

  func object<Root: Object>(_ type: Root.Type) -> Root? {
    switch self {
    case .object(let object): object as? Root
    case .store(let store): store.anyObject(type)
    case .current: GraphThreadState.current.currentStore.flatMap { $0.object(type) }
    }
  }
}

/// The store that is delivering a change set on this thread.
struct CurrentStore {
  let store: Store
  /// One object of each class whose last object was deleted by the change.
  let gone: [Object]

  func object<Root: Object>(_ type: Root.Type) -> Root? {
    store.anyObject(type) ?? gone.lazy.compactMap { $0 as? Root }.first
  }

  /// Runs `body` with this store as the thread's current one.
  func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    let outer = GraphThreadState.current.currentStore
    GraphThreadState.current.currentStore = self
    defer { GraphThreadState.current.currentStore = outer }
    return try body()
  }
}

extension Store {
  /// Some stored object of a class or of its subclasses.
  fileprivate func anyObject<Root: Object>(_ type: Root.Type) -> Root? {
    for table in tables.values where table.count > 0 && table.isCovered(by: type) {
      for case let object? in table.objects { return object as? Root }
    }
    return nil
  }
}

enum KeyPathResolver {
  // Unchecked, and safe: a key path is immutable. Only the values it captures for subscripts could
  // be unsafe to share between threads, and the paths in `known` have captured none. `known` gets
  // only paths that are equal to the literal that a wrapper makes of its own property, or that
  // PathIdentity.swift found to consist of one component with the same declaration. Such a path is
  // a property, not a subscript. It has at most generic arguments, which are constants. A lookup
  // compares the caller's path with these paths, on the caller's thread.
  private struct Key: Hashable, @unchecked Sendable {  // Immutable: no path has captured anything.
    let path: AnyKeyPath
  }

  private static let known = Locked<[Key: String]>([:])

  /// The name of the wrapped property that a key path leads to; nil if it doesn't lead to one.
  ///
  /// The path is evaluated on an object of the source or, if it has none, on a new one; a new
  /// object suffices for a path that only reads a wrapped property. A read-only path is never
  /// evaluated, because it can't lead to a stored value.
  static func name<Root: Object, Value>(
    of path: KeyPath<Root, Value>, in type: Object.Type, _ source: PathSource
  ) -> String? {
    let key = Key(path: path)
    if let name = known.withLock({ $0[key] }) { return name }
    guard path is ReferenceWritableKeyPath<Root, Value>,
      let object = source.object(Root.self) ?? type.init() as? Root
    else { return nil }
    return learn(path, on: object)
  }

  /// The name of the one wrapped property of `object` that a closure reads; nil if it reads none or
  /// several.
  static func name(on object: Object, readBy body: () -> Void) -> String? {
    let collector = DependencyCollector(
      DependencyCollector.Delegate(
        describe: { "a key path of a binding" }, didLearn: { _ in }, didRead: { _ in }))
    collector.evaluate(on: object, body)
    guard unsafe collector.offsets.count == 1 else { return nil }
    return unsafe object.schema.property(at: collector.offsets[0])?.name
  }

  /// The wrapped property that a key path leads to, found by reading it on `object`; nil if there
  /// is none.
  static func property<Root: Object>(
    of path: PartialKeyPath<Root>, in object: Root
  ) -> Property? {
    let collector = DependencyCollector(
      DependencyCollector.Delegate(
        describe: { "a key path" }, didLearn: { _ in }, didRead: { _ in }), wantsPaths: true)
    collector.evaluate(on: object) { _ = object[keyPath: path] }
    guard unsafe collector.offsets.count == 1, let told = collector.lastPath,
      PathIdentity.isSame(path, as: told)
    else { return nil }
    return unsafe Schema(of: type(of: object)).property(at: collector.offsets[0])
  }

  private static func learn<Root: Object, Value>(
    _ path: KeyPath<Root, Value>, on object: Root
  ) -> String? {
    let collector = DependencyCollector(
      DependencyCollector.Delegate(
        describe: { "a key path of a change" }, didLearn: { _ in }, didRead: { _ in }),
      wantsPaths: true)
    collector.evaluate(on: object) { _ = object[keyPath: path] }
    guard unsafe collector.offsets.count == 1, let told = collector.lastPath,
      PathIdentity.isSame(path, as: told),
      let property = unsafe Schema(of: type(of: object)).property(at: collector.offsets[0])
    else { return nil }
    let (key, name) = (Key(path: path), property.name)
    known.withLock { $0[key] = name }
    return name
  }
}
