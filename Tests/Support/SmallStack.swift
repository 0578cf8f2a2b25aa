import Foundation
import Signals
import Synchronization
package import Testing

/// Runs `body` on a thread with 512 KB of stack, and expects that it throws no error and leaves no
/// node and no edge.
///
/// A recursion over some thousand objects fills such a stack, so chains of a share of their usual
/// length find it too.
package func onSmallStack(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable () throws -> Void
) {
  let done = DispatchSemaphore(value: 0)
  // Checked on the calling thread, because another one belongs to no test.
  let failure = Mutex<String?>(nil)
  let thread = Thread {
    do { try body() } catch { failure.withLock { $0 = "\(error)" } }
    let (nodes, edges) = (ReactiveGraph.liveNodes, ReactiveGraph.liveEdges)
    if nodes + edges > 0 { failure.withLock { $0 = "\(nodes) nodes and \(edges) edges are left" } }
    done.signal()
  }
  thread.stackSize = 512 * 1024
  thread.start()
  done.wait()
  let found = failure.withLock { $0 }
  #expect(found == nil, sourceLocation: sourceLocation)
}
