/// Marked watchers that wait for their turn, lowest order first.
///
/// State: `sorted` holds those that wait, the next one last; `arrived` those that were marked since.
struct WatcherQueue {
  @safe struct Entry {
    let order: UInt64
    let node: NodePointer
  }

  private var sorted: [Entry] = []
  private var arrived: [Entry] = []

  var isEmpty: Bool { sorted.isEmpty && arrived.isEmpty }

  mutating func append(_ node: NodePointer, order: UInt64) {
    unsafe arrived.append(Entry(order: order, node: node))
  }

  /// Takes the next watcher; `inWaves` lets those that arrived wait until the others have run.
  mutating func next(inWaves: Bool) -> NodePointer? {
    if !arrived.isEmpty, !inWaves || sorted.isEmpty { merge() }
    return unsafe sorted.popLast()?.node
  }

  private mutating func merge() {
    arrived.reverse()
    if sorted.isEmpty {
      swap(&sorted, &arrived)
    } else {
      sorted.append(contentsOf: arrived)
      arrived.removeAll(keepingCapacity: true)
    }
    for index in sorted.indices.dropFirst()
    where sorted[index - 1].order < sorted[index].order {
      sorted.sort { $0.order > $1.order }
      return
    }
  }
}
