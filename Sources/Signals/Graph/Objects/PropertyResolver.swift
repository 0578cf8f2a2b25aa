// Finding the property of a key path, by reading it on a real object.

/// The properties that key paths lead to.
final class PropertyResolver {
  private struct Key: Hashable {
    let path: AnyKeyPath
    let type: ObjectIdentifier
    let isExact: Bool
  }

  /// The properties of the key paths that were evaluated on this thread.
  ///
  /// They belong to the thread, because key paths are resolved without a store too. Only paths that
  /// lead to a property are kept: they have captured nothing, so there are as many as in the source.
  private var known: [Key: Property] = [:]

  /// This thread's instance.
  static var current: PropertyResolver { GraphThreadState.current.resolver }

  /// Returns the wrapped property that a key path leads to, or `nil` if there is none.
  ///
  /// - Parameters:
  ///   - type: The class for which the property is remembered.
  ///   - isExact: Whether the path must be the property's own, rather than that of a computed
  ///     property that reads it last.
  ///   - object: An object of the class on which to read the path, if the property isn't known. If
  ///     it is `nil`, so is the result.
  /// - Complexity: O(1) once it is known.
  func property(
    of path: AnyKeyPath, in type: Object.Type, isExact: Bool = true,
    _ object: @autoclosure () -> Object?
  ) -> Property? {
    let key = Key(path: path, type: ObjectIdentifier(type), isExact: isExact)
    if let property = known[key] { return property }
    if isExact, !KeyPathComparison.mayLeadToProperty(path) { return nil }
    guard let object = object() else { return nil }
    let read = PropertyResolver.read(on: object) { _ = (object as Any)[keyPath: path] }
    if isExact {
      guard read.offsets.count == 1, let lastPath = read.lastPath,
        KeyPathComparison.isSame(path, as: lastPath)
      else { return nil }
    }
    guard let property = read.lastRead.flatMap({ object.schema.property(at: $0) }) else {
      return nil
    }
    known[key] = property
    return property
  }

  /// Returns the one wrapped property of `object` that a closure reads, or `nil` if it reads none
  /// or several.
  static func property(of object: Object, readBy body: () -> Void) -> Property? {
    let offsets = read(on: object, body).offsets
    return offsets.count == 1 ? object.schema.property(at: offsets[0]) : nil
  }

  private static func read(on object: Object, _ body: () -> Void) -> DependencyCollector {
    let collector = DependencyCollector(describing: "a key path", wantsPaths: true)
    collector.evaluate(on: object, body)
    return collector
  }
}

extension Object {
  /// Returns the name of the wrapped property that a key path of this object leads to.
  ///
  /// A read-only path is never read, because it can't lead to a stored value.
  final func propertyName<Root: Object, Value>(at path: KeyPath<Root, Value>) -> String? {
    guard path is ReferenceWritableKeyPath<Root, Value> else { return nil }
    return PropertyResolver.current.property(of: path, in: type(of: self), self)?.name
  }
}
