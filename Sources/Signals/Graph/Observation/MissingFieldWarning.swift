// A debug-build warning about properties that can't be observed, most often because `@Field` is
// missing.

/// Warnings about bindings, observers and sort keys of a property that isn't part of the graph.
///
/// Swift allows plain properties in a class, so a missing `@Field` isn't an error. A screen,
/// observer or sort order that uses such a property just never follows its changes.
enum MissingFieldWarning {
  /// The warnings that were written, so that each is written once; locked, because every
  /// isolation domain may warn.
  private static let written = Locked<Set<String>>([])

  /// Warns that a reader has read nothing that reports changes.
  ///
  /// Writes to standard error, once for each reader and only in debug builds. There is no warning
  /// about an `ObjectID`, which needn't report changes.
  static func warn(about path: AnyKeyPath, _ reader: @autoclosure () -> String) {
    #if DEBUG
      if type(of: path).valueType == ObjectID.self { return }
      let reader = reader()
      guard written.withLock({ $0.insert(reader).inserted }) else { return }
      writeToStandardError(
        "Signals: \(reader) reads no property that notifies of changes: is `@Field` missing there?\n"
      )
    #endif
  }

  /// Warns about a key path if reading it on an object reads no tracked value.
  static func check<Root, Value>(_ path: KeyPath<Root, Value>, on root: Root, for reader: String) {
    #if DEBUG
      guard let object = root as? Object else { return }
      let reads = Counter()
      let collector = DependencyCollector(
        DependencyCollector.Delegate(
          describe: { "a key path" }, didLearn: { _ in reads.count += 1 },
          didRead: { _ in reads.count += 1 }))
      collector.evaluate(on: object) { _ = root[keyPath: path] }
      if reads.count == 0 { warn(about: path, "\(reader) \(path)") }
    #endif
  }

  #if DEBUG
    private final class Counter { var count = 0 }
  #endif
}
