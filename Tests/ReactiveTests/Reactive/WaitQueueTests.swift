import Signals
import Testing

/// Tasks that wait to be woken.
@Suite struct `Wait queues` {
  @Test func `nothing waits any more after cancellations and wakes`() async {
    let queue = WaitQueue()
    for round in 0..<500 {
      let seen = queue.count
      let waiter = Task { await queue.wait(after: seen) }
      for _ in 0..<round % 5 { await Task.yield() }
      if round % 3 != 0 { waiter.cancel() }
      if round % 3 != 1 { queue.wake() }
      await waiter.value
      #expect(queue.waitingCount == 0)
    }
  }

  @Test func `a wake between the look and the wait isn't missed`() async {
    let queue = WaitQueue()
    let seen = queue.count
    queue.wake()
    await queue.wait(after: seen)
    #expect(queue.count == seen + 1)
  }
}
