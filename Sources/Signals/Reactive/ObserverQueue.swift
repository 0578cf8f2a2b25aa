/// Marked observers that wait to run, lowest order first.
@safe struct ObserverQueue {
  @safe private struct Entry: BitwiseCopyable {
    let order: UInt64
    let node: NodePointer
  }

  /// The waiting observers, the next one last.
  private var sorted = Stack<Entry>()
  /// The observers marked since the last merge.
  private var arrived = Stack<Entry>()

  var isEmpty: Bool {
    @inline(__always) get { sorted.isEmpty && arrived.isEmpty }
  }

  @inline(__always)
  mutating func append(_ node: NodePointer, order: UInt64) {
    arrived.append(Entry(order: order, node: node))
  }

  /// Removes and returns the next observer.
  ///
  /// - Parameter inWaves: Whether observers that have arrived wait until the others have run.
  @inline(__always)
  mutating func next(inWaves: Bool) -> NodePointer? {
    if !arrived.isEmpty, !inWaves || sorted.isEmpty { merge() }
    return sorted.popLast()?.node
  }

  /// Frees the memory.
  mutating func destroy() {
    sorted.destroy()
    arrived.destroy()
  }

  /// Adds the observers that have arrived, of which there are some, to the sorted ones.
  private mutating func merge() {
    // Marking usually finds the direct readers of a signal in the order of their creation, and the
    // readers behind computeds in reverse order.
    if arrived[0].order < arrived[arrived.count - 1].order { arrived.reverse() }
    if sorted.isEmpty {
      swap(&sorted, &arrived)
    } else {
      for index in 0..<arrived.count { sorted.append(arrived[index]) }
      arrived.removeAll()
    }
    for index in 1..<sorted.count where sorted[index - 1].order < sorted[index].order {
      return sorted.sort { $0.order > $1.order }
    }
  }
}
