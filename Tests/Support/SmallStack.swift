import Foundation
import Signals
import Testing

/// Runs `body` on a thread with 512 KB of stack, and expects that it leaves no node and no edge.
///
/// A recursion over some thousand objects fills such a stack, so chains of a share of their usual
/// length find it too.
package func onSmallStack(_ body: @escaping @Sendable () throws -> Void) {
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    #expect(throws: Never.self) { try body() }
    precondition(ReactiveGraph.liveNodes == 0)
    precondition(ReactiveGraph.liveEdges == 0)
    done.signal()
  }
  thread.stackSize = 512 * 1024
  thread.start()
  done.wait()
}
