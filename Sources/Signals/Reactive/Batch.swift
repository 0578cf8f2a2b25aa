/// Runs `body` and lets what it writes propagate once, when it ends.
///
/// Reads inside see what was written so far. A batch that ends where it began runs nothing. Batches
/// nest; the outermost decides. `batch` defers propagation only: transactions of a store are its own.
@inlinable
@discardableResult
public func batch<Result, Failure: Error>(
  _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  unsafe Turn.current.pointee.depth += 1
  defer { Turn.endBatch() }
  return try body()
}

/// Runs `body` without making the running computed, effect or view depend on what it reads.
///
/// What may not write may not write in here either. One value is read so by ``Signal/peek()`` and
/// ``Computed/peek()``.
@inlinable
@discardableResult
public func untracked<Result, Failure: Error>(
  _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  // One call of the closure: the optimizer of Swift 6.3 makes invalid code of one in each of two branches.
  let outer = Node.beginUntracked()
  defer { Node.endUntracked(outer) }
  return try body()
}
