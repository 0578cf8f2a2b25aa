/// Where the loading of a value stands.
///
/// ```swift
/// switch books.state {
/// case .idle, .loading: Text("Loading…")
/// case .loaded(let books): ForEach(books) { Text($0.title) }
/// case .failed(let error, _): Text("\(error)")
/// }
/// ```
public enum Loadable<Value> {
  /// Nobody has asked for it yet.
  case idle
  /// It is under way: the part that is done, from 0 to 1, if that is known, and the value that was loaded before.
  case loading(progress: Double?, previous: Value?)
  /// It is there.
  case loaded(Value)
  /// It failed; the value that was loaded before is still there.
  case failed(any Error, previous: Value?)

  /// The value that was loaded last, also while it is loaded again, and after that failed.
  public var value: Value? {
    switch self {
    case .idle: nil
    case .loading(_, let previous), .failed(_, let previous): previous
    case .loaded(let value): value
    }
  }

  /// Whether it is under way.
  public var isLoading: Bool { if case .loading = self { true } else { false } }

  /// The part that is done, from 0 to 1; nil if that is not known, or nothing is under way.
  public var progress: Double? {
    if case .loading(let progress, _) = self { progress } else { nil }
  }

  /// Why it failed, if it did.
  public var error: (any Error)? { if case .failed(let error, _) = self { error } else { nil } }

  /// The same with what `transform` makes of values.
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
  /// Whether both stand at the same place; errors are the same if they are of one type and described alike.
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
