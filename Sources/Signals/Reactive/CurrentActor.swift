// The actor of code that runs on one but was given no isolation.
//
// A closure that a view passes to `onAppear` or a button is synchronous and `nonisolated`, so
// `#isolation` in it is always nil. But a host knows the actor on which it was created, and the
// host and its views can't leave that actor.
//
// State: the thread's scheduler has the actor of the running code, set before a synchronous call
// and restored after it. It is correct for that long, because the code can't suspend and code that
// it starts on other threads finds no actor there. A host without an actor sets none. Timers check
// the actor again when they are created.

/// The actor of running code whose closures have no isolation.
final class CurrentActor: ThreadContextKey {
  static var defaultValue: CurrentActor? { nil }

  let isolation: TaskIsolation

  init(_ isolation: TaskIsolation) { self.isolation = isolation }

  /// The actor of the code that runs on this thread, if it has one.
  static var present: CurrentActor? { ThreadContext[CurrentActor.self] }

  /// Runs code with a current actor, or without one.
  static func run<Result>(on actor: CurrentActor?, _ body: () throws -> Result) rethrows -> Result {
    try ThreadContext.with(actor, for: CurrentActor.self, body)
  }
}
