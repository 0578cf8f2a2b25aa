// The actor of code that was given no isolation, though it runs on one.
//
// A closure that a view hands to `onAppear` or a button is synchronous and `nonisolated`: `#isolation` in it is nil,
// whoever runs it. But a host knows the actor that it was made on, and it and its views can't leave that.
//
// State: the thread's turn has the workplace of the code that runs, set and put back around a synchronous call,
// so that it says the truth as long as that lasts: the code cannot suspend, and what it starts on other threads
// finds none there. A host without an actor sets none. Timers check the actor once more when they are made.

/// Where code runs whose closures know of no isolation.
final class Workplace {
  let isolation: TaskIsolation

  init(_ isolation: TaskIsolation) { self.isolation = isolation }

  /// That of the code that runs on this thread, if it has one.
  static var present: Workplace? { unsafe Turn.present?.pointee.workplace as? Workplace }

  /// Runs code at a place, or at none.
  static func run<Result>(at place: Workplace?, _ body: () throws -> Result) rethrows -> Result {
    let turn = unsafe Turn.current
    let outer = unsafe turn.pointee.workplace
    unsafe turn.pointee.workplace = place
    defer { unsafe turn.pointee.workplace = outer }
    return try body()
  }
}
