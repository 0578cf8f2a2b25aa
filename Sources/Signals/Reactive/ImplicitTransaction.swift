// Runs a callback of user code as one transaction.
//
// An intent, an effect or an observer opens a transaction on each store at its first write there.
// The store joins the callback as a participant, and all participants end together
// (`runTransaction` in TransactionEnd.swift):
//
// 1. Every participant prepares; rules and refused writes may throw.
// 2. The callback is over: later writes are no longer part of it.
// 3. Every participant seals, or every participant rolls back.
// 4. Every participant ends, which releases the objects that its transaction held.

/// A store that joins the running callback at its first write.
protocol TransactionParticipant: AnyObject {
  /// Runs the checks and rules that may still refuse the transaction.
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
/// The participants of all running callbacks are in one array of the scheduler, and a callback is the
/// index where its own begin (`Scheduler.implicitTransaction`). It isn't an array of its own, because
/// every effect begins and ends a callback.
package enum ImplicitTransaction {
  /// The value of `implicitTransaction` while no callback is running.
  static var none: Int { -1 }

  /// Whether a callback is running on this thread.
  static var isUnderWay: Bool { Scheduler.current.pointee.implicitTransaction >= 0 }

  /// Joins the running callback.
  ///
  /// - Returns: Whether a callback is running.
  static func join(_ participant: any TransactionParticipant) -> Bool {
    guard isUnderWay else { return false }
    Scheduler.current.pointee.joined.append(participant)
    return true
  }

  /// Runs `body` outside of the running callback, so that each transaction in it ends there.
  package static func outside<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let scheduler = Scheduler.current
    let outer = scheduler.pointee.implicitTransaction
    scheduler.pointee.implicitTransaction = none
    defer { scheduler.pointee.implicitTransaction = outer }
    return try body()
  }

  /// Runs `body` as one transaction over all stores that it writes to, and then propagates.
  ///
  /// - Parameter label: The name of the transaction for its participants.
  static func run<Result>(label: String? = nil, _ body: () throws -> Result) throws -> Result {
    let scheduler = Scheduler.current
    let outer = begin(scheduler)
    let outerLabel = scheduler.pointee.transactionLabel
    scheduler.pointee.transactionLabel = label
    scheduler.pointee.depth += 1
    return try Scheduler.throwingEndlessChain(in: scheduler) {
      defer { Scheduler.endBatch() }
      defer { scheduler.pointee.transactionLabel = outerLabel }
      var participants: [any TransactionParticipant] = []
      return try run(
        in: scheduler, restoring: outer, isReaction: scheduler.pointee.isFlushing,
        participants: &participants, body)
    }
  }

  /// Runs `body` as one transaction and propagates; errors go to the stores that it wrote to.
  ///
  /// Used where no caller can be given an error.
  static func runReporting(_ body: () -> Void) {
    let scheduler = Scheduler.current
    scheduler.pointee.depth += 1
    runReporting(in: scheduler, body)
    Scheduler.endBatch(scheduler)
  }

  /// Does the same as `runReporting(_:)` within an open batch.
  @inline(__always)
  static func runReporting(in scheduler: SchedulerPointer, _ body: () -> Void) {
    let outer = begin(scheduler)
    body()
    if scheduler.pointee.hasParticipants {
      endReporting(scheduler, restoring: outer)
    } else {
      scheduler.pointee.implicitTransaction = outer
    }
  }

  @inline(__always)
  private static func begin(_ scheduler: SchedulerPointer) -> Int {
    let outer = scheduler.pointee.implicitTransaction
    scheduler.pointee.implicitTransaction = scheduler.pointee.joined.count
    return outer
  }

  /// Runs the rest of a callback, and ends the transactions of its participants.
  ///
  /// - Parameters:
  ///   - scheduler: The thread's scheduler.
  ///   - outer: The index where the participants of the enclosing callback begin.
  ///   - isReaction: Whether the callback is an effect or observer.
  ///   - participants: Set to the participants when the callback is over.
  ///   - body: The rest of the callback.
  private static func run<Result>(
    in scheduler: SchedulerPointer, restoring outer: Int, isReaction: Bool,
    participants: inout [any TransactionParticipant], _ body: () throws -> Result
  ) throws -> Result {
    try runTransaction {
      try body()
    } prepare: {
      try prepare(scheduler, isReaction: isReaction)
    } seal: {
      participants = takeParticipants(scheduler, restoring: outer)
      for participant in participants { participant.sealImplicitTransaction() }
    } rollBack: {
      participants = takeParticipants(scheduler, restoring: outer)
      for participant in participants.reversed() { participant.rollBackImplicitTransaction() }
    } end: {
      end(participants)
    }
  }

  /// Ends the callback, and returns its participants.
  private static func takeParticipants(
    _ scheduler: SchedulerPointer, restoring outer: Int
  ) -> [any TransactionParticipant] {
    let participants = Array(scheduler.pointee.participants)
    scheduler.pointee.joined.removeLast(participants.count)
    scheduler.pointee.implicitTransaction = outer
    return participants
  }

  private static func end(_ participants: [any TransactionParticipant]) {
    if participants.count == 1 { return participants[0].endImplicitTransaction() }
    if participants.isEmpty { return }
    // With several participants, all must have ended before the first release runs user code.
    Scheduler.releasing {
      for participant in participants { participant.endImplicitTransaction() }
    }
  }

  @inline(never)
  private static func endReporting(_ scheduler: SchedulerPointer, restoring outer: Int) {
    var participants: [any TransactionParticipant] = []
    do {
      try run(in: scheduler, restoring: outer, isReaction: true, participants: &participants) {}
    } catch {
      for participant in participants { participant.refuse(error) }
    }
  }

  private static func prepare(_ scheduler: SchedulerPointer, isReaction: Bool) throws {
    var prepared = scheduler.pointee.implicitTransaction
    // A rule may write to another store, which then joins.
    while prepared < scheduler.pointee.joined.count {
      try scheduler.pointee.joined[prepared].prepareImplicitTransaction(
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
