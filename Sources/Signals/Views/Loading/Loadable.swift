/// The state of loading a value.
///
/// ```swift
/// switch books.state {
/// case .idle, .loading: Text("Loading…")
/// case .loaded(let books): ForEach(books) { Text($0.title) }
/// case .failed(let error, _): Text("\(error)")
/// }
/// ```
public enum Loadable<Value> {
  /// Loading has not started.
  case idle
  /// Loading is under way.
  ///
  /// - Parameters:
  ///   - progress: The fraction done, from 0 to 1, if known.
  ///   - previous: The value that was loaded before.
  case loading(progress: Double?, previous: Value?)
  /// The value is loaded.
  case loaded(Value)
  /// Loading failed. The previously loaded value is still available.
  case failed(any Error, previous: Value?)

  /// The value loaded last, also while it is being reloaded and after a reload has failed.
  public var value: Value? {
    switch self {
    case .idle: nil
    case .loading(_, let previous), .failed(_, let previous): previous
    case .loaded(let value): value
    }
  }

  /// Whether loading is under way.
  public var isLoading: Bool { if case .loading = self { true } else { false } }

  /// The fraction done, from 0 to 1; nil if it is unknown or loading isn't under way.
  public var progress: Double? {
    if case .loading(let progress, _) = self { progress } else { nil }
  }

  /// The error, if loading failed.
  public var error: (any Error)? { if case .failed(let error, _) = self { error } else { nil } }

  /// Returns the same state with the loaded values transformed.
  ///
  /// - Parameter transform: Converts loaded values.
  /// - Returns: The same state, with the converted values if there are any.
  /// - Throws: The error of `transform`.
  public func map<Other>(_ transform: (Value) throws -> Other) rethrows -> Loadable<Other> {
    switch self {
    case .idle: .idle
    case .loading(let progress, let previous):
      .loading(progress: progress, previous: try previous.map(transform))
    case .loaded(let value): .loaded(try transform(value))
    case .failed(let error, let previous): .failed(error, previous: try previous.map(transform))
    }
  }
}

extension Loadable: Sendable where Value: Sendable {}

extension Loadable: Equatable where Value: Equatable {
  /// Returns whether both are in the same state with equal values.
  ///
  /// Errors are equal if they have the same type and description.
  public static func == (lhs: Loadable, rhs: Loadable) -> Bool {
    switch (lhs, rhs) {
    case (.idle, .idle): true
    case (.loading(let one, let before), .loading(let other, let previous)):
      one == other && before == previous
    case (.loaded(let one), .loaded(let other)): one == other
    case (.failed(let one, let before), .failed(let other, let previous)):
      type(of: one) == type(of: other) && "\(one)" == "\(other)" && before == previous
    default: false
    }
  }
}
