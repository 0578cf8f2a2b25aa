// A callback of the user's as one transaction.
//
// An intent, an effect or an observer opens a transaction on each store at its first write there;
// the store joins the callback as a participant, and all participants end together: every one
// prepares (hooks and refusals may throw), then every one seals, or every one rolls back.

/// What joins the callback under way at its first write: a store.
protocol CallbackParticipant: AnyObject {
  /// Runs what may still refuse the transaction.
  func prepareCallback() throws
  /// Makes the transaction final; nothing may fail any more.
  func sealCallback()
  /// Undoes the transaction.
  func rollBackCallback()
  /// Learns of an error that no caller can be given.
  func refuse(_ error: any Error)
}

struct Callback {
  var participants: [any CallbackParticipant] = []

  /// Runs `body` as one transaction over every store that it writes to, and then propagates.
  static func run<Result>(_ body: () throws -> Result) throws -> Result {
    let turn = unsafe Turn.current
    let outer = unsafe turn.pointee.callback
    unsafe turn.pointee.callback = Callback()
    unsafe turn.pointee.depth += 1
    unsafe turn.pointee.reportsTo += 1
    defer { unsafe turn.pointee.reportsTo -= 1 }
    let result: Result
    do {
      result = try body()
      try unsafe close(turn)
      unsafe turn.pointee.callback = outer
    } catch {
      for participant in unsafe participants(of: turn).reversed() { participant.rollBackCallback() }
      unsafe turn.pointee.callback = outer
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
  @inline(__always)
  static func runReporting(_ body: () -> Void) {
    let turn = unsafe Turn.current
    let outer = unsafe turn.pointee.callback.take()
    unsafe turn.pointee.callback = Callback()
    unsafe turn.pointee.depth += 1
    body()
    if unsafe participants(of: turn).isEmpty {
      unsafe turn.pointee.callback = outer
    } else {
      unsafe closeReporting(turn, outer)
    }
    unsafe Turn.endBatch(turn)
  }

  private static func closeReporting(_ turn: UnsafeMutablePointer<Turn>, _ outer: Callback?) {
    do {
      try unsafe close(turn)
      unsafe turn.pointee.callback = outer
    } catch {
      let joined = unsafe participants(of: turn)
      for participant in joined.reversed() { participant.rollBackCallback() }
      unsafe turn.pointee.callback = outer
      for participant in joined { participant.refuse(error) }
    }
  }

  private static func participants(
    of turn: UnsafeMutablePointer<Turn>
  ) -> [any CallbackParticipant] {
    unsafe turn.pointee.callback?.participants ?? []
  }

  private static func close(_ turn: UnsafeMutablePointer<Turn>) throws {
    var prepared = 0
    // A hook may write to one more store, which then joins.
    while unsafe prepared < participants(of: turn).count {
      try unsafe participants(of: turn)[prepared].prepareCallback()
      prepared += 1
    }
    for participant in unsafe participants(of: turn) { participant.sealCallback() }
  }
}
