// Transactions of callbacks: a store joins the running intent, effect or observer.

extension Store: TransactionParticipant {
  /// The open transaction, or a new one that ends with the intent, effect or observer under way.
  ///
  /// - Returns: nil if no transaction is open and no callback is under way.
  func openTransaction() -> Transaction? {
    if let transaction { return transaction }
    return ImplicitTransaction.join(self) ? begin() : nil
  }

  func prepareImplicitTransaction(isReaction: Bool) throws {
    if let label = Scheduler.current.pointee.transactionLabel, let transaction,
      transaction.isUndoable
    {
      name(transaction, label: label)
    }
    try prepare(reaching: isReaction ? .reactionCommit : .intentCommit)
  }

  func sealImplicitTransaction() {
    keepUntilEnd()
    seal()
  }

  func rollBackImplicitTransaction() {
    keepUntilEnd()
    abandon()
  }

  func endImplicitTransaction() { end(ended.removeLast()) }

  /// Keeps the transaction until its callback ends.
  private func keepUntilEnd() {
    guard let transaction else { trap("a store has joined a callback without a transaction") }
    ended.append(transaction)
  }

  func refuse(_ error: any Error) { onRefusal(error) }
}
