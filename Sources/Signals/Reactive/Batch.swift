/// Runs `body`, and propagates its writes once, when it ends.
///
/// Reads in `body` see the values written so far. A batch that ends with the values it began with
/// runs nothing. Batches nest, and only the end of the outermost propagates. `batch` only defers
/// propagation; it isn't a transaction of a store.
///
/// - Parameter body: The writes of the batch.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`. The writes before it are propagated.
@inlinable
@discardableResult
public func batch<Result, Failure: Error>(
  _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  Scheduler.current.pointee.depth += 1
  defer { Scheduler.endBatch() }
  return try body()
}

/// Runs `body` without making the running computed, effect or view depend on the values it reads.
///
/// If the surrounding code isn't allowed to write, neither is `body`. To read a single value, use
/// ``Signal/peek()`` or ``Computed/peek()``.
///
/// - Parameter body: The closure whose reads aren't dependencies.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`.
@inlinable
@discardableResult
public func untracked<Result, Failure: Error>(
  _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  // One call of the closure only: the optimizer of Swift 6.3 generates invalid code for a call in
  // each of two branches.
  let outer = Node.beginUntracked()
  defer { Node.endUntracked(outer) }
  return try body()
}
