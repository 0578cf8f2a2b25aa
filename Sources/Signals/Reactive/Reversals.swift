// How a failed transaction sets back what it has set beside the stores: the state of views.
//
// State, all of it in the turn: `reversals`, what sets the state back, oldest first; `reversalStart`, where those of the
// innermost savepoint begin; `openWrites`, how many outermost `write`s of stores are open.
//
// Order of events: state is set within a callback or a `write`, which notes its reversal; a savepoint, a `write` or a
// callback that fails rolls its stores back and then runs what was noted since it began, the latest first; one that
// succeeds leaves its reversals to the transaction around it, or drops them.

/// Sets one value back to what it was.
struct Reversal {
  let owner: AnyObject
  let run: () -> Void
}

/// The reversals of the transactions that are open on this thread.
enum Reversals {
  /// Whether a transaction is open that could fail.
  static var areKept: Bool {
    let turn = unsafe Turn.current
    return unsafe turn.pointee.openWrites > 0 || turn.pointee.callback >= 0
  }

  /// Notes how to set `owner` back if the transaction under way fails.
  static func note(_ owner: AnyObject, _ run: @escaping () -> Void) {
    let turn = unsafe Turn.current
    let isFirst = unsafe turn.pointee.callback >= 0 && !StateParticipant.hasJoined(turn.pointee)
    if isFirst { _ = Callback.join(StateParticipant(start: unsafe turn.pointee.reversals.count)) }
    // A value that is set again and again, as in a loop, is set back once.
    if !isFirst, unsafe turn.pointee.reversals.count > turn.pointee.reversalStart,
      unsafe turn.pointee.reversals.last?.owner === owner
    {
      return
    }
    unsafe turn.pointee.reversals.append(Reversal(owner: owner, run: run))
  }

  /// Begins a savepoint, in O(1).
  /// - Returns: Where its reversals begin, and where those of the one around it do.
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

  /// Sets back what was set since there were `count` reversals.
  static func run(downTo count: Int) {
    // What goes is user code, which may set state: each is off the stack before it runs.
    let turn = unsafe Turn.current
    while unsafe turn.pointee.reversals.count > count {
      let last = unsafe turn.pointee.reversals.removeLast()
      last.run()
    }
  }

  /// Forgets what was noted since there were `count` reversals: it stands.
  static func drop(downTo count: Int) {
    let turn = unsafe Turn.current
    guard unsafe turn.pointee.reversals.count > count else { return }
    let dropped = unsafe Array(turn.pointee.reversals[count...])
    unsafe turn.pointee.reversals.removeSubrange(count...)
    withExtendedLifetime(dropped) {}
  }
}

/// Stands for the state of views in a callback that has set some.
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
    // What goes with the values is user code, whose writes are no part of the callback.
    if hasFailed { return Reversals.run(downTo: start) }
    // A `write` around the callback, as of an effect that is made in it, may still fail.
    if unsafe Turn.current.pointee.openWrites == 0 { Reversals.drop(downTo: start) }
  }

  func refuse(_ error: any Error) {}
}

extension Signal {
  /// Sets the value as the state of a view: a transaction under way sets it back if it fails.
  func setState(_ new: Value) {
    noteState()
    value = new
  }

  /// Notes the value, which is going to be changed, as the state of a view.
  func noteState() {
    guard Reversals.areKept else { return }
    let old = peek()
    Reversals.note(self) { [self] in value = old }
  }
}
