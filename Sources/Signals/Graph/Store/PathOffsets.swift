/// Learns which property a key path reads, by evaluating it once on a real object.
final class PathOffsets {
  private struct Key: Hashable {
    let path: AnyKeyPath
    let type: ObjectIdentifier
  }

  private var known: [Key: Int] = [:]
  private let probe = unsafe PropertyProbe(
    PropertyProbe.Delegate(describe: { "a key path" }, didLearn: { _ in }, didRead: { _ in }))

  /// The offset of the first property that `evaluate` reads on `object`.
  ///
  /// O(1) once it is known.
  func offset(of path: AnyKeyPath, on object: Object, evaluate: () -> Void) -> Int? {
    let key = Key(path: path, type: ObjectIdentifier(type(of: object)))
    if let offset = known[key] { return offset }
    var first: Int?
    probe.evaluate(on: object) {
      evaluate()
      first = unsafe probe.lastRead
    }
    if let first { known[key] = first }
    return first
  }
}
