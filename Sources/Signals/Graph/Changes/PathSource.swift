// The objects on which the key paths of a change are read.

/// The source of an object on which a key path can be read.
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
