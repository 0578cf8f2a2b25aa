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
protocol CallbackParticipant: AnyObject {
  /// Runs the checks and hooks that may still refuse the transaction.
  ///
  /// - Parameter isReaction: Whether the transaction belongs to an effect or observer.
  func prepareCallback(isReaction: Bool) throws
  /// Makes the transaction final; must not fail.
  func sealCallback()
  /// Undoes the transaction.
  func rollBackCallback()
  /// Releases the objects that the transaction held, whose `deinit`s may write.
  func endCallback()
  /// Receives an error that can't be thrown to a caller.
  func refuse(_ error: any Error)
}

/// The transaction of the running callback.
///
/// State: the turn's `joined` holds the participants of all running callbacks, the innermost last.
/// `callback` is the index where those of the innermost begin, or negative if no callback is
/// running. Indices are used instead of arrays, because every effect begins and ends a callback.
enum Callback {
  /// The value of `callback` while no callback is running.
  static var none: Int { -1 }

  /// Whether a callback is running on this thread.
  static var isUnderWay: Bool { unsafe Turn.current.pointee.callback >= 0 }

  /// Joins the running callback.
  ///
  /// - Returns: Whether a callback is running.
  static func join(_ participant: any CallbackParticipant) -> Bool {
    guard isUnderWay else { return false }
    unsafe Turn.current.pointee.joined.append(participant)
    return true
  }

  /// Runs `body` as one transaction over all stores that it writes to, and then propagates.
  ///
  /// - Parameter label: The name of the transaction for its participants.
  static func run<Result>(label: String? = nil, _ body: () throws -> Result) throws -> Result {
    let turn = unsafe Turn.current
    let outer = unsafe begin(turn)
    let outerLabel = unsafe turn.pointee.intentLabel
    unsafe turn.pointee.intentLabel = label
    unsafe turn.pointee.depth += 1
    unsafe turn.pointee.reportsTo += 1
    defer { unsafe turn.pointee.reportsTo -= 1 }
    let result: Result
    do {
      result = try body()
      try unsafe prepare(turn, isReaction: unsafe turn.pointee.isFlushing)
      _ = unsafe end(turn, outer, failed: false)
      unsafe turn.pointee.intentLabel = outerLabel
    } catch {
      _ = unsafe end(turn, outer, failed: true)
      unsafe turn.pointee.intentLabel = outerLabel
      Turn.endBatch()
      // The caller gets the error thrown by the body.
      unsafe turn.pointee.reportEndlessChain()
      throw error
    }
    Turn.endBatch()
    try unsafe turn.pointee.throwEndlessChain()
    return result
  }

  /// Runs `body` as one transaction and propagates; errors go to the stores that it wrote to.
  ///
  /// Used where no caller can be given an error.
  static func runReporting(_ body: () -> Void) {
    let turn = unsafe Turn.current
    unsafe turn.pointee.depth += 1
    unsafe runReporting(in: turn, body)
    unsafe Turn.endBatch(turn)
  }

  /// Does the same as `runReporting(_:)` within an open batch.
  @inline(__always)
  static func runReporting(in turn: UnsafeMutablePointer<Turn>, _ body: () -> Void) {
    let outer = unsafe begin(turn)
    body()
    if unsafe turn.pointee.hasParticipants {
      unsafe endReporting(turn, outer)
    } else {
      unsafe turn.pointee.callback = outer
    }
  }

  @inline(__always)
  private static func begin(_ turn: UnsafeMutablePointer<Turn>) -> Int {
    let outer = unsafe turn.pointee.callback
    unsafe turn.pointee.callback = turn.pointee.joined.count
    return outer
  }

  private static func end(
    _ turn: UnsafeMutablePointer<Turn>, _ outer: Int, failed: Bool
  ) -> [any CallbackParticipant] {
    let participants = unsafe Array(turn.pointee.participants)
    unsafe turn.pointee.joined.removeLast(participants.count)
    unsafe turn.pointee.callback = outer
    if failed {
      for participant in participants.reversed() { participant.rollBackCallback() }
    } else {
      for participant in participants { participant.sealCallback() }
    }
    if participants.count == 1 {
      participants[0].endCallback()
    } else if !participants.isEmpty {
      // With several participants, all must have ended before the first release runs user code.
      Turn.lettingGo { for participant in participants { participant.endCallback() } }
    }
    return participants
  }

  @inline(never)
  private static func endReporting(_ turn: UnsafeMutablePointer<Turn>, _ outer: Int) {
    do {
      try unsafe prepare(turn, isReaction: true)
      _ = unsafe end(turn, outer, failed: false)
    } catch {
      for participant in unsafe end(turn, outer, failed: true) { participant.refuse(error) }
    }
  }

  private static func prepare(_ turn: UnsafeMutablePointer<Turn>, isReaction: Bool) throws {
    var prepared = unsafe turn.pointee.callback
    // A hook may write to another store, which then joins.
    while unsafe prepared < turn.pointee.joined.count {
      try unsafe turn.pointee.joined[prepared].prepareCallback(
        isReaction: isReaction)
      prepared += 1
    }
  }
}

extension Turn {
  /// The participants of the innermost running callback.
  fileprivate var participants: ArraySlice<any CallbackParticipant> { joined[callback...] }

  fileprivate var hasParticipants: Bool {
    @inline(__always) get { joined.count != callback }
  }
}
