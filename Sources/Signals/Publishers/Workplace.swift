// The actor of code that runs on one but was given no isolation.
//
// A closure that a view passes to `onAppear` or a button is synchronous and `nonisolated`, so
// `#isolation` in it is always nil. But a host knows the actor on which it was created, and the
// host and its views can't leave that actor.
//
// State: the thread's turn has the workplace of the running code, set before a synchronous call and
// restored after it. It is correct for that long, because the code can't suspend and code that it
// starts on other threads finds no workplace there. A host without an actor sets none. Timers check
// the actor again when they are created.

/// The actor of running code whose closures have no isolation.
final class Workplace {
  let isolation: TaskIsolation

  init(_ isolation: TaskIsolation) { self.isolation = isolation }

  /// The workplace of the code that runs on this thread, if it has one.
  static var present: Workplace? { unsafe Turn.present?.pointee.workplace as? Workplace }

  /// Runs code with a workplace, or without one.
  static func run<Result>(at place: Workplace?, _ body: () throws -> Result) rethrows -> Result {
    let turn = unsafe Turn.current
    let outer = unsafe turn.pointee.workplace
    unsafe turn.pointee.workplace = place
    defer { unsafe turn.pointee.workplace = outer }
    return try body()
  }
}
