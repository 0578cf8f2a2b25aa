/// Learns which property a key path reads, by evaluating it once on a real object.
final class PathOffsets {
  private struct Key: Hashable {
    let path: AnyKeyPath
    let type: ObjectIdentifier
  }

  private var known: [Key: Int] = [:]
  private var indexed: [Key: Int?] = [:]
  private let collector = DependencyCollector(
    DependencyCollector.Delegate(describe: { "a key path" }, didLearn: { _ in }, didRead: { _ in }),
    wantsPaths: true)

  /// The offset of the first property that `evaluate` reads on `object`.
  ///
  /// - Complexity: O(1) once it is known.
  func offset(of path: AnyKeyPath, on object: Object, evaluate: () -> Void) -> Int? {
    let key = Key(path: path, type: ObjectIdentifier(type(of: object)))
    if let offset = known[key] { return offset }
    var first: Int?
    collector.evaluate(on: object) {
      evaluate()
      first = unsafe collector.lastRead
    }
    if let first { known[key] = first }
    return first
  }

  /// The offset of an indexed property, given its key path.
  ///
  /// - Returns: nil if the key path isn't an indexed property, or reads more than that, and as long
  ///   as there is no object to evaluate it on.
  /// - Complexity: O(1) once it is known.
  func indexedOffset<Root: Object, Value>(
    of path: KeyPath<Root, Value>, in table: ObjectTable
  ) -> Int? {
    let key = Key(path: path, type: ObjectIdentifier(table.schema.type))
    if let offset = indexed[key] { return offset }
    guard let object = table.objects.lazy.compactMap({ $0 }).first as? Root else { return nil }
    var offset: Int?
    collector.evaluate(on: object) {
      _ = object[keyPath: path]
      if let told = collector.lastPath, PathIdentity.isSame(path, as: told) {
        offset = unsafe collector.lastRead
      }
    }
    indexed[key] = .some(offset)
    return offset
  }
}
