internal import CSignalsThread
internal import Synchronization

/// A value that any thread may reach, one at a time.
///
/// It is the standard library's `Mutex`, made known to the thread sanitizer: where a `Mutex` waits it does so
/// in code that is not instrumented, so that every contended one would be reported as a race. Outside of a
/// build for that sanitizer the two calls do nothing.
package final class Locked<State>: Sendable {
  private let mutex: Mutex<State>

  package init(_ state: consuming sending State) { mutex = Mutex(state) }

  /// Calls `body` with the value while no other thread has it.
  package func withLock<Result, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock { state throws(Failure) in
      let address = unsafe UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
      unsafe signals_did_lock(address)
      defer { unsafe signals_will_unlock(address) }
      return try body(&state)
    }
  }
}
