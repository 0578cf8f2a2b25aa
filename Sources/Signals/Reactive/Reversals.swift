// How a failed transaction restores state outside the stores: the state of views.
//
// State, all of it in the turn: `reversals`, the closures that restore the state, oldest first;
// `reversalStart`, the index where those of the innermost savepoint begin; `openWrites`, the number
// of open outermost `write`s of stores.
//
// Order of events: state is set within a callback or a `write`, which notes its reversal. A
// savepoint, `write` or callback that fails rolls its stores back, and then runs the reversals
// noted since it began, the latest first. One that succeeds leaves its reversals to the enclosing
// transaction, or drops them if there is none.

/// Restores the previous value of one piece of state.
struct Reversal {
  let owner: AnyObject
  let run: () -> Void
}

/// The reversals of the open transactions of this thread.
enum Reversals {
  /// Whether a transaction is open that could fail.
  static var areKept: Bool {
    let turn = unsafe Turn.current
    return unsafe turn.pointee.openWrites > 0 || turn.pointee.callback >= 0
  }

  /// Notes how to restore the state of `owner` if the transaction under way fails.
  static func note(_ owner: AnyObject, _ run: @escaping () -> Void) {
    let turn = unsafe Turn.current
    let isFirst = unsafe turn.pointee.callback >= 0 && !StateParticipant.hasJoined(turn.pointee)
    if isFirst { _ = Callback.join(StateParticipant(start: unsafe turn.pointee.reversals.count)) }
    // A value that is set repeatedly, as in a loop, is restored once.
    if !isFirst, unsafe turn.pointee.reversals.count > turn.pointee.reversalStart,
      unsafe turn.pointee.reversals.last?.owner === owner
    {
      return
    }
    unsafe turn.pointee.reversals.append(Reversal(owner: owner, run: run))
  }

  /// Begins a savepoint.
  ///
  /// - Returns: The index where its reversals begin, and the one where those of the enclosing
  ///   savepoint begin.
  /// - Complexity: O(1).
  static func begin() -> (start: Int, outer: Int) {
    let turn = unsafe Turn.current
    let outer = unsafe turn.pointee.reversalStart
    let start = unsafe turn.pointee.reversals.count
    unsafe turn.pointee.reversalStart = start
    return (start, outer)
  }

  /// Ends a savepoint that failed or succeeded.
  static func end(_ savepoint: (start: Int, outer: Int), failed: Bool) {
    let turn = unsafe Turn.current
    unsafe turn.pointee.reversalStart = savepoint.outer
    if failed { run(downTo: savepoint.start) }
  }

  /// Runs all reversals beyond the first `count`, the latest first.
  static func run(downTo count: Int) {
    // Releasing the replaced values runs user code, which may set state. So each reversal is
    // removed from the stack before it runs.
    let turn = unsafe Turn.current
    while unsafe turn.pointee.reversals.count > count {
      let last = unsafe turn.pointee.reversals.removeLast()
      last.run()
    }
  }

  /// Drops all reversals beyond the first `count`; the state that was set stays.
  static func drop(downTo count: Int) {
    let turn = unsafe Turn.current
    guard unsafe turn.pointee.reversals.count > count else { return }
    let dropped = unsafe Array(turn.pointee.reversals[count...])
    unsafe turn.pointee.reversals.removeSubrange(count...)
    withExtendedLifetime(dropped) {}
  }
}

/// Represents the state of views in a callback that has set some.
private final class StateParticipant: CallbackParticipant {
  private let start: Int
  private var hasFailed = false

  init(start: Int) { self.start = start }

  static func hasJoined(_ turn: Turn) -> Bool {
    turn.joined[turn.callback...].contains { $0 is StateParticipant }
  }

  func prepareCallback(isReaction: Bool) {}

  func sealCallback() {}

  func rollBackCallback() { hasFailed = true }

  func endCallback() {
    // Releasing the values runs user code, whose writes aren't part of the callback.
    if hasFailed { return Reversals.run(downTo: start) }
    // An enclosing `write`, for example one in which the running effect was created, may still
    // fail.
    if unsafe Turn.current.pointee.openWrites == 0 { Reversals.drop(downTo: start) }
  }

  func refuse(_ error: any Error) {}
}

extension Signal {
  /// Sets the value as the state of a view, which a failing transaction restores.
  func setState(_ new: Value) {
    noteState()
    value = new
  }

  /// Notes the present value as the state of a view; the caller is about to change it.
  func noteState() {
    guard Reversals.areKept else { return }
    let old = peek()
    Reversals.note(self) { [self] in value = old }
  }
}
