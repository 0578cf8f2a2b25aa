// What an effect, a scope or a view leaves behind, and how it is taken away.
//
// State: `body` is taken when it runs. Its owner keeps it among the effects that it made, and cancels
// all of them together.

/// Has `cleanup` run before the running effect or view's body runs again, and when that stops.
///
/// - In an ``Effect`` it runs in the order of registration, among the effects made by the same run; in an
///   ``EffectScope`` the last comes first; in the body of a view before the next body, and when the view
///   leaves the screen.
/// - It runs once. It reads without depending; what it writes to stores is one transaction, and
///   everything that it writes propagates after its owner has run, or stopped.
/// - An effect that it makes has no owner: it lives as long as something holds it.
/// - Called where nothing would ever run it, in a ``Computed`` or outside of any owner, it traps.
///
/// ```swift
/// let shown = Effect {
///   let connection = open(address.value)
///   onCleanup { connection.close() }
/// }
/// ```
public func onCleanup(
  file: StaticString = #fileID, line: UInt = #line, _ cleanup: @escaping () -> Void
) {
  Owner.checkCanMake("onCleanup at \(file):\(line)")
  guard unsafe Turn.current.pointee.owner != nil else {
    trap(
      """
      onCleanup at \(file):\(line) has no owner: call it in an effect, an EffectScope or the \
      body of a view
      """)
  }
  Owner.keep(Cleanup(cleanup))
}

/// A cleanup that waits.
private final class Cleanup: Cancellable {
  private var body: (() -> Void)?

  init(_ body: @escaping () -> Void) { self.body = body }

  func cancel() {
    guard let body = self.body.take() else { return }
    Node.withoutReader { Owner.withoutOwner { Callback.runReporting(body) } }
  }
}

/// Calls no two values equal, so that every write, or every evaluation, counts as a change.
///
/// ```swift
/// let taps = Signal((), isEqual: neverEqual)
/// ```
public func neverEqual<Value>(_ old: Value, _ new: Value) -> Bool { false }
