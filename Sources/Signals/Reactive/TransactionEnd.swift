// How every transaction ends: that of one store (Graph/Store/Store+Transactions.swift), and that of
// all stores to which a callback has written (ImplicitTransaction.swift).

/// Runs the writes of a transaction and ends it.
///
/// It is inlined, because a write that is a commit by itself passes here.
///
/// - Parameters:
///   - body: The writes.
///   - prepare: What may still refuse the transaction.
///   - seal: Makes the transaction final; called if neither `body` nor `prepare` has thrown.
///   - rollBack: Undoes the transaction; called otherwise.
///   - end: Releases the objects that the transaction held, whose `deinit`s may write.
/// - Returns: The result of `body`.
/// - Throws: The error of `body` or `prepare`, after `end`.
@inline(__always)
func runTransaction<Result>(
  _ body: () throws -> Result, prepare: () throws -> Void, seal: () -> Void, rollBack: () -> Void,
  end: () -> Void
) throws -> Result {
  let result: Result
  do {
    result = try body()
    try prepare()
  } catch {
    rollBack()
    end()
    throw error
  }
  seal()
  end()
  return result
}
