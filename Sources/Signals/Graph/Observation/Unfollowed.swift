// What a debug build says of a property that nobody can follow: most often its `@Field` was forgotten.
//
// State: `told`, what has been said, so that it is said once; behind a lock, since every isolation domain says it.

/// Bindings, observers and sort keys that are given a property which is no part of the graph.
///
/// Swift lets a class have plain properties, and so a missing `@Field` is no error: what is shown, observed or
/// sorted by it only never follows it.
enum Unfollowed {
  private static let told = Locked<Set<String>>([])

  /// Says on standard error, in debug builds and once, that somebody reads what never tells of a change.
  ///
  /// An id never does, and has not to.
  static func tell(of path: AnyKeyPath, _ reader: @autoclosure () -> String) {
    #if DEBUG
      if type(of: path).valueType == ObjectID.self { return }
      let reader = reader()
      guard told.withLock({ $0.insert(reader).inserted }) else { return }
      writeToStandardError(
        "Signals: \(reader) reads nothing that tells of changes: is `@Field` missing there?\n")
    #endif
  }

  /// Says it of a key path, if reading it on an object reads nothing else.
  static func check<Root, Value>(_ path: KeyPath<Root, Value>, on root: Root, for reader: String) {
    #if DEBUG
      guard let object = root as? Object else { return }
      let reads = Counter()
      let probe = unsafe PropertyProbe(
        PropertyProbe.Delegate(
          describe: { "a key path" }, didLearn: { _ in reads.count += 1 },
          didRead: { _ in reads.count += 1 }))
      probe.evaluate(on: object) { _ = root[keyPath: path] }
      if reads.count == 0 { tell(of: path, "\(reader) \(path)") }
    #endif
  }

  #if DEBUG
    private final class Counter { var count = 0 }
  #endif
}
