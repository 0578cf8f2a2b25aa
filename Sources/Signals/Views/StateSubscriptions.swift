// Subscriptions that a view keeps in its state: they end with the view.
//
// The closure of a subscription mostly uses the view, and so keeps the state that keeps the subscription: nobody else
// would end it.

/// Ends what a state holds when its view has left the screen.
final class StateSubscriptions<Value>: SweptSlot {
  private let signal: Signal<Value>

  init(_ signal: Signal<Value>) { self.signal = signal }

  // What a state holds is of the view, not of a body or of rows.
  func begin(_ rows: Scope) {}
  func finish(_ scope: Scope) -> Bool { false }
  func forget(_ rows: ScopeID) {}
  func end() { Subscriptions.cancel(in: signal.peek()) }
}

/// Something whose type says what it holds.
private protocol Holder {
  static var held: Any.Type { get }
  func forEachHeld(_ body: (Any) -> Void)
}

enum Subscriptions {
  /// Whether a value of a type is a subscription, or an optional, an array, a set or a dictionary of some.
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
