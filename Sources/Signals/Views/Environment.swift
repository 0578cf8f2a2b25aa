/// A value of a view's environment.
///
/// A body that reads it depends on its key only. Outside of a view it is the key's default.
///
/// ```swift
/// struct Title: View {
///   @Environment(\.theme) var theme
/// }
/// ```
@propertyWrapper
public struct Environment<Value>: DynamicProperty, BoundProperty {
  private let path: KeyPath<EnvironmentValues, Value>
  private var environmentReads: EnvironmentReads?

  /// Creates the wrapper for a key.
  public init(_ path: KeyPath<EnvironmentValues, Value>) { self.path = path }

  /// Binds the wrapper to the environment of a view; the host calls it before each body.
  mutating func bind(to slot: ViewSlot) { environmentReads = slot.scope.bindEnvironmentReads() }

  /// The current value.
  public var wrappedValue: Value {
    guard let environmentReads else { return EnvironmentValues()[keyPath: path] }
    return environmentReads.value(at: path)
  }
}

extension Environment: ComparableInput {
  func isSameInput(as other: Environment) -> Bool { path == other.path }
}

/// The environment of a view, shared by its wrappers and the closures that captured them.
///
/// State: `values`, the current environment of the scope; `reads`, for each key read by the last
/// body or one of its rows, a closure that tells whether another environment has the same value;
/// `isReading`, true while one of them is evaluated. Only the host's isolation touches this state.
final class EnvironmentReads {
  var values: EnvironmentValues
  private var reads: [ObjectIdentifier: (EnvironmentValues) -> Bool] = [:]
  var isReading = true

  init(_ values: EnvironmentValues) { self.values = values }

  func forgetReads() { reads = [:] }

  /// Whether all values that the last body read are unchanged.
  var readsAreUnchanged: Bool { reads.values.allSatisfy { $0(values) } }

  func value<Value>(at path: KeyPath<EnvironmentValues, Value>) -> Value {
    guard isReading else { return values[keyPath: path] }
    return values.observed(by: self)[keyPath: path]
  }

  func didRead(_ key: ObjectIdentifier, isSame: @escaping (EnvironmentValues) -> Bool) {
    reads[key] = isSame
  }
}
