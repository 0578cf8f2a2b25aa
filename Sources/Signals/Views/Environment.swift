/// A value that a view finds in its environment.
///
/// Reading it in a body is a dependency on its key alone. Outside of a view it is the key's default.
///
/// ```swift
/// struct Title: View {
///   @Environment(\.theme) var theme
/// }
/// ```
@propertyWrapper
public struct Environment<Value>: DynamicProperty {
  private let path: KeyPath<EnvironmentValues, Value>
  private var surroundings: Surroundings?

  /// Creates the wrapper for a key.
  public init(_ path: KeyPath<EnvironmentValues, Value>) { self.path = path }

  /// Binds the wrapper to what surrounds a view; the host calls it before each body.
  public mutating func bind(to slot: Slot) { surroundings = slot.scope.bindSurroundings() }

  /// The present value.
  public var wrappedValue: Value {
    guard let surroundings else { return EnvironmentValues()[keyPath: path] }
    return surroundings.value(at: path)
  }
}

extension Environment: ComparableInput {
  func isSameInput(as other: Environment) -> Bool { path == other.path }
}

/// What surrounds a view, as its wrappers and the closures that captured them see it.
///
/// State: `values`, the present environment of the scope; `reads`, for each key that the last body or one
/// of its rows read whether another environment has the same value; `isReading` while one of them runs.
final class Surroundings {
  var values: EnvironmentValues
  private var reads: [ObjectIdentifier: (EnvironmentValues) -> Bool] = [:]
  var isReading = true

  init(_ values: EnvironmentValues) { self.values = values }

  func forgetReads() { reads = [:] }

  /// Whether all that the last body read is as it was.
  var hasSameReads: Bool { reads.values.allSatisfy { $0(values) } }

  func value<Value>(at path: KeyPath<EnvironmentValues, Value>) -> Value {
    guard isReading else { return values[keyPath: path] }
    return values.observed(by: self)[keyPath: path]
  }

  func didRead(_ key: ObjectIdentifier, _ isSame: @escaping (EnvironmentValues) -> Bool) {
    reads[key] = isSame
  }
}
