// How a failed transaction restores state outside the stores: the state of views.
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
    let scheduler = Scheduler.current
    return scheduler.pointee.openWrites > 0 || scheduler.pointee.implicitTransaction >= 0
  }

  /// Notes how to restore the state of `owner` if the transaction under way fails.
  static func note(for owner: AnyObject, _ run: @escaping () -> Void) {
    let scheduler = Scheduler.current
    let isFirst =
      scheduler.pointee.implicitTransaction >= 0
      && !StateParticipant.hasJoined(scheduler.pointee)
    if isFirst {
      _ = ImplicitTransaction.join(
        StateParticipant(start: scheduler.pointee.reversals.count))
    }
    // A value that is set repeatedly, as in a loop, is restored once.
    if !isFirst, scheduler.pointee.reversals.count > scheduler.pointee.reversalStart,
      scheduler.pointee.reversals.last?.owner === owner
    {
      return
    }
    scheduler.pointee.reversals.append(Reversal(owner: owner, run: run))
  }

  /// Begins a savepoint.
  ///
  /// - Returns: The index where its reversals begin, and the one where those of the enclosing
  ///   savepoint begin.
  /// - Complexity: O(1).
  static func begin() -> (start: Int, outer: Int) {
    let scheduler = Scheduler.current
    let outer = scheduler.pointee.reversalStart
    let start = scheduler.pointee.reversals.count
    scheduler.pointee.reversalStart = start
    return (start, outer)
  }

  /// Ends a savepoint that failed or succeeded.
  static func end(_ savepoint: (start: Int, outer: Int), failed: Bool) {
    let scheduler = Scheduler.current
    scheduler.pointee.reversalStart = savepoint.outer
    if failed { run(downTo: savepoint.start) }
  }

  /// Runs all reversals beyond the first `count`, the latest first.
  static func run(downTo count: Int) {
    // Releasing the replaced values runs user code, which may set state. So each reversal is
    // removed from the stack before it runs.
    let scheduler = Scheduler.current
    while scheduler.pointee.reversals.count > count {
      let last = scheduler.pointee.reversals.removeLast()
      last.run()
    }
  }

  /// Drops all reversals beyond the first `count`; the state that was set stays.
  static func drop(downTo count: Int) {
    let scheduler = Scheduler.current
    guard scheduler.pointee.reversals.count > count else { return }
    let dropped = Array(scheduler.pointee.reversals[count...])
    scheduler.pointee.reversals.removeSubrange(count...)
    withExtendedLifetime(dropped) {}
  }
}

/// Represents the state of views in a callback that has set some.
private final class StateParticipant: TransactionParticipant {
  private let start: Int
  private var hasFailed = false

  init(start: Int) { self.start = start }

  static func hasJoined(_ scheduler: Scheduler) -> Bool {
    scheduler.joined[scheduler.implicitTransaction...].contains { $0 is StateParticipant }
  }

  func prepareImplicitTransaction(isReaction: Bool) {}

  func sealImplicitTransaction() {}

  func rollBackImplicitTransaction() { hasFailed = true }

  func endImplicitTransaction() {
    // Releasing the values runs user code, whose writes aren't part of the callback.
    if hasFailed { return Reversals.run(downTo: start) }
    // An enclosing `write`, for example one in which the running effect was created, may still
    // fail.
    if Scheduler.current.pointee.openWrites == 0 { Reversals.drop(downTo: start) }
  }

  func refuse(_ error: any Error) {}
}

extension Signal {
  /// Sets the value as the state of a view, which a failing transaction restores.
  ///
  /// Does nothing in a cancelled run of an async intent or task.
  func setState(_ new: Value) {
    guard AsyncRunContext.maySetViewState else { return }
    ViewStateReads.willWrite(self)
    noteState()
    value = new
  }

  /// Notes the current value as the state of a view; the caller is about to change it.
  func noteState() {
    guard Reversals.areKept else { return }
    let old = peek()
    Reversals.note(for: self) { [self] in value = old }
  }
}
