// Runs a callback of user code as one transaction.
//
// An intent, an effect or an observer opens a transaction on each store at its first write there.
// The store joins the callback as a participant, and all participants end together:
//
// 1. Every participant prepares; hooks and refusals may throw.
// 2. The callback is over: later writes are no longer part of it.
// 3. Every participant seals, or every participant rolls back.
// 4. Every participant ends, which releases the objects that its transaction held.

/// A store that joins the running callback at its first write.
protocol TransactionParticipant: AnyObject {
  /// Runs the checks and hooks that may still refuse the transaction.
  ///
  /// - Parameter isReaction: Whether the transaction belongs to an effect or observer.
  func prepareImplicitTransaction(isReaction: Bool) throws
  /// Makes the transaction final; must not fail.
  func sealImplicitTransaction()
  /// Undoes the transaction.
  func rollBackImplicitTransaction()
  /// Releases the objects that the transaction held, whose `deinit`s may write.
  func endImplicitTransaction()
  /// Receives an error that can't be thrown to a caller.
  func refuse(_ error: any Error)
}

/// The transaction of the running callback.
///
/// State: the scheduler's `joined` holds the participants of all running callbacks, the innermost
/// last. `implicitTransaction` is the index where those of the innermost begin, or negative if no
/// callback is running. Indices are used instead of arrays, because every effect begins and ends a
/// callback.
enum ImplicitTransaction {
  /// The value of `implicitTransaction` while no callback is running.
  static var none: Int { -1 }

  /// Whether a callback is running on this thread.
  static var isUnderWay: Bool { unsafe Scheduler.current.pointee.implicitTransaction >= 0 }

  /// Joins the running callback.
  ///
  /// - Returns: Whether a callback is running.
  static func join(_ participant: any TransactionParticipant) -> Bool {
    guard isUnderWay else { return false }
    unsafe Scheduler.current.pointee.joined.append(participant)
    return true
  }

  /// Runs `body` as one transaction over all stores that it writes to, and then propagates.
  ///
  /// - Parameter label: The name of the transaction for its participants.
  static func run<Result>(label: String? = nil, _ body: () throws -> Result) throws -> Result {
    let scheduler = unsafe Scheduler.current
    let outer = unsafe begin(scheduler)
    let outerLabel = unsafe scheduler.pointee.intentLabel
    unsafe scheduler.pointee.intentLabel = label
    unsafe scheduler.pointee.depth += 1
    unsafe scheduler.pointee.reportsTo += 1
    defer { unsafe scheduler.pointee.reportsTo -= 1 }
    let result: Result
    do {
      result = try body()
      try unsafe prepare(scheduler, isReaction: unsafe scheduler.pointee.isFlushing)
      _ = unsafe end(scheduler, outer, failed: false)
      unsafe scheduler.pointee.intentLabel = outerLabel
    } catch {
      _ = unsafe end(scheduler, outer, failed: true)
      unsafe scheduler.pointee.intentLabel = outerLabel
      Scheduler.endBatch()
      // The caller gets the error thrown by the body.
      unsafe scheduler.pointee.reportEndlessChain()
      throw error
    }
    Scheduler.endBatch()
    try unsafe scheduler.pointee.throwEndlessChain()
    return result
  }

  /// Runs `body` as one transaction and propagates; errors go to the stores that it wrote to.
  ///
  /// Used where no caller can be given an error.
  static func runReporting(_ body: () -> Void) {
    let scheduler = unsafe Scheduler.current
    unsafe scheduler.pointee.depth += 1
    unsafe runReporting(in: scheduler, body)
    unsafe Scheduler.endBatch(scheduler)
  }

  /// Does the same as `runReporting(_:)` within an open batch.
  @inline(__always)
  static func runReporting(in scheduler: UnsafeMutablePointer<Scheduler>, _ body: () -> Void) {
    let outer = unsafe begin(scheduler)
    body()
    if unsafe scheduler.pointee.hasParticipants {
      unsafe endReporting(scheduler, outer)
    } else {
      unsafe scheduler.pointee.implicitTransaction = outer
    }
  }

  @inline(__always)
  private static func begin(_ scheduler: UnsafeMutablePointer<Scheduler>) -> Int {
    let outer = unsafe scheduler.pointee.implicitTransaction
    unsafe scheduler.pointee.implicitTransaction = scheduler.pointee.joined.count
    return outer
  }

  private static func end(
    _ scheduler: UnsafeMutablePointer<Scheduler>, _ outer: Int, failed: Bool
  ) -> [any TransactionParticipant] {
    let participants = unsafe Array(scheduler.pointee.participants)
    unsafe scheduler.pointee.joined.removeLast(participants.count)
    unsafe scheduler.pointee.implicitTransaction = outer
    if failed {
      for participant in participants.reversed() { participant.rollBackImplicitTransaction() }
    } else {
      for participant in participants { participant.sealImplicitTransaction() }
    }
    if participants.count == 1 {
      participants[0].endImplicitTransaction()
    } else if !participants.isEmpty {
      // With several participants, all must have ended before the first release runs user code.
      Scheduler.releasing {
        for participant in participants { participant.endImplicitTransaction() }
      }
    }
    return participants
  }

  @inline(never)
  private static func endReporting(_ scheduler: UnsafeMutablePointer<Scheduler>, _ outer: Int) {
    do {
      try unsafe prepare(scheduler, isReaction: true)
      _ = unsafe end(scheduler, outer, failed: false)
    } catch {
      for participant in unsafe end(scheduler, outer, failed: true) { participant.refuse(error) }
    }
  }

  private static func prepare(_ scheduler: UnsafeMutablePointer<Scheduler>, isReaction: Bool) throws
  {
    var prepared = unsafe scheduler.pointee.implicitTransaction
    // A hook may write to another store, which then joins.
    while unsafe prepared < scheduler.pointee.joined.count {
      try unsafe scheduler.pointee.joined[prepared].prepareImplicitTransaction(
        isReaction: isReaction)
      prepared += 1
    }
  }
}

extension Scheduler {
  /// The participants of the innermost running callback.
  fileprivate var participants: ArraySlice<any TransactionParticipant> {
    joined[implicitTransaction...]
  }

  fileprivate var hasParticipants: Bool {
    @inline(__always) get { joined.count != implicitTransaction }
  }
}
