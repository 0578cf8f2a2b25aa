internal import CSignalsThread
internal import Synchronization

/// A value that any thread may access, one thread at a time.
///
/// It is the standard library's `Mutex`, made known to the thread sanitizer. A `Mutex` waits in
/// code that isn't instrumented, so that every contended one would be reported as a race. The two
/// calls do nothing in builds without that sanitizer.
package final class Locked<State>: Sendable {
  private let mutex: Mutex<State>

  package init(_ state: consuming sending State) { mutex = Mutex(state) }

  /// Calls `body` with exclusive access to the value.
  package func withLock<Result, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock { state throws(Failure) in
      let address = UInt(bitPattern: ObjectIdentifier(self))
      signals_did_lock(address)
      defer { signals_will_unlock(address) }
      return try body(&state)
    }
  }
}
