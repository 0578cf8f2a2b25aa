// Subscriptions in the state of a view, which end with the view.
//
// The closure of a subscription usually captures the view, and so retains the state that retains
// the subscription. Without an explicit end the cycle would keep it alive.

/// Cancels the subscriptions in a state when its view leaves the screen.
final class StateSubscriptions<Value>: PerBodyViewSlot {
  private let signal: Signal<Value>

  init(_ signal: Signal<Value>) { self.signal = signal }

  // The subscriptions belong to the view, not to a body or to rows.
  func begin(_ rows: Scope) {}
  func finish(_ scope: Scope) -> Bool { false }
  func forget(_ rows: ScopeID) {}
  func end() { Subscriptions.cancel(in: signal.peek()) }
}

/// A container whose type determines the type of its elements.
private protocol Holder {
  static var held: Any.Type { get }
  func forEachHeld(_ body: (Any) -> Void)
}

enum Subscriptions {
  /// Whether values of a type are subscriptions, or an optional, an array, a set or a dictionary of
  /// some.
  static func canBe<Value>(in type: Value.Type) -> Bool { !_isPOD(type) && isSubscription(type) }

  private static func isSubscription(_ type: Any.Type) -> Bool {
    if type == (any Cancellable).self || type is any Cancellable.Type { return true }
    return (type as? any Holder.Type).map { isSubscription($0.held) } ?? false
  }

  static func cancel(in value: Any) {
    if let subscription = value as? any Cancellable { return subscription.cancel() }
    (value as? any Holder)?.forEachHeld(cancel)
  }
}

extension Optional: Holder {
  fileprivate static var held: Any.Type { Wrapped.self }
  fileprivate func forEachHeld(_ body: (Any) -> Void) { if let self { body(self) } }
}

extension Array: Holder {
  fileprivate static var held: Any.Type { Element.self }
  fileprivate func forEachHeld(_ body: (Any) -> Void) { forEach(body) }
}

extension Set: Holder {
  fileprivate static var held: Any.Type { Element.self }
  fileprivate func forEachHeld(_ body: (Any) -> Void) { forEach(body) }
}

extension Dictionary: Holder {
  fileprivate static var held: Any.Type { Value.self }
  fileprivate func forEachHeld(_ body: (Any) -> Void) { values.forEach(body) }
}
