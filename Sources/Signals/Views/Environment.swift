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
  private var scope: Bound?

  private struct Bound { weak var scope: Scope? }

  /// Creates the wrapper for a key.
  public init(_ path: KeyPath<EnvironmentValues, Value>) { self.path = path }

  public mutating func bind(to slot: Slot) { scope = Bound(scope: slot.scope) }

  /// The present value.
  public var wrappedValue: Value {
    (scope?.scope?.environment ?? EnvironmentValues())[keyPath: path]
  }
}

extension Environment: ComparableInput {
  func isSameInput(as other: Any) -> Bool { (other as? Environment)?.path == path }
}
