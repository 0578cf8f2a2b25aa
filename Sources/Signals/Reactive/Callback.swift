// A callback of the user's as one transaction.
//
// An intent, an effect or an observer opens a transaction on each store at its first write there;
// the store joins the callback as a participant, and all participants end together: every one
// prepares (hooks and refusals may throw); the callback is over, so that what is written from here on is no part of it;
// then every one seals, or every one rolls back; and every one ends, which releases what its transaction held.

/// What joins the callback under way at its first write: a store.
protocol CallbackParticipant: AnyObject {
  /// Runs what may still refuse the transaction; `isReaction` says that it is of an effect or observer.
  func prepareCallback(isReaction: Bool) throws
  /// Makes the transaction final; nothing may fail any more.
  func sealCallback()
  /// Undoes the transaction.
  func rollBackCallback()
  /// Releases what the transaction held, which may write.
  func endCallback()
  /// Learns of an error that no caller can be given.
  func refuse(_ error: any Error)
}

/// The transaction of the callback under way.
///
/// State: the turn's `joined` are the participants of all callbacks under way, the innermost last;
/// `callback` is where those of the innermost begin, or negative if none is under way. Numbers and not
/// arrays, because every effect begins and ends one.
enum Callback {
  /// Stands for no callback.
  static var none: Int { -1 }

  /// Whether a callback is under way on this thread.
  static var isUnderWay: Bool { unsafe Turn.current.pointee.callback >= 0 }

  /// Joins the callback under way, if there is one.
  static func join(_ participant: any CallbackParticipant) -> Bool {
    guard isUnderWay else { return false }
    unsafe Turn.current.pointee.joined.append(participant)
    return true
  }

  /// Runs `body` as one transaction over every store that it writes to, and then propagates.
  ///
  /// `label` is what the participants call it.
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
      // The caller gets the error of the body.
      unsafe turn.pointee.reportEndlessChain()
      throw error
    }
    Turn.endBatch()
    try unsafe turn.pointee.throwEndlessChain()
    return result
  }

  /// Runs `body` likewise where no caller can be given an error: the stores it wrote to get it.
  static func runReporting(_ body: () -> Void) {
    let turn = unsafe Turn.current
    unsafe turn.pointee.depth += 1
    unsafe runReporting(in: turn, body)
    unsafe Turn.endBatch(turn)
  }

  /// Runs `body` likewise, within a batch.
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
      // Of several none is left to be ended when the first release runs code.
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
    // A hook may write to one more store, which then joins.
    while unsafe prepared < turn.pointee.joined.count {
      try unsafe turn.pointee.joined[prepared].prepareCallback(
        isReaction: isReaction)
      prepared += 1
    }
  }
}

extension Turn {
  /// Those that joined the callback under way.
  fileprivate var participants: ArraySlice<any CallbackParticipant> { joined[callback...] }

  fileprivate var hasParticipants: Bool {
    @inline(__always) get { joined.count != callback }
  }
}
