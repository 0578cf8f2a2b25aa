// Stopping activities that stop each other.
//
// Stopping an effect, a scope or a subscription runs user code: cleanups, and the `deinit`s of the
// objects that its closures held. That code may stop the next activity, and so on. It stops within
// the call, so that a cleanup can rely on the cleanups of an effect that it cancels. Once more than
// half of the stack is used, the code to run is postponed, and the last disposal that began above
// runs it. So a chain may be as long as memory allows.
//
// Order of events: an activity is marked as stopped, and never runs again. Its code runs now or is
// postponed. When its own code has returned, a disposal runs the code that was postponed in it, in
// the order of the calls, each piece followed by those that were postponed in it.
//
// Invariants:
// - `disposals` is the number of disposals on the stack; `postponed` is empty while it is 0.
// - A batch is open while `postponed` isn't empty (`postpones`): an effect of a postponed scope must
//   not run.

private import CSignalsThread

enum Disposal {
  /// Runs the code that ends an activity, or postpones it if the stack is deep.
  ///
  /// The context is released with the code, before the call returns or later.
  ///
  /// - Parameters:
  ///   - context: The values that the code needs, so that it captures nothing and costs no
  ///     allocation.
  ///   - body: The code.
  @inline(__always)
  static func run<Context>(
    _ context: consuming Context, _ body: @escaping (Context) -> Void
  ) {
    let scheduler = Scheduler.current
    if scheduler.pointee.disposals > 0, signals_stack_is_deep() {
      postpone(context, body, in: scheduler)
    } else {
      complete(consume context, in: scheduler, body)
    }
  }

  /// Releases a value, or postpones its release if the stack is deep.
  @inline(__always)
  static func release<Value>(_ value: consuming Value) { run(consume value) { _ in } }

  /// Runs code that stops activities, and everything that is postponed in it.
  @inline(__always)
  static func complete<Context>(
    _ context: consuming Context, in scheduler: SchedulerPointer,
    _ body: (Context) -> Void
  ) {
    let first = scheduler.pointee.postponed.count
    scheduler.pointee.disposals += 1
    body(context)
    Scheduler.end(consume context)
    if scheduler.pointee.postponed.count > first {
      runPostponed(downTo: first, in: scheduler)
    }
    scheduler.pointee.disposals -= 1
  }

  @inline(never)
  private static func postpone<Context>(
    _ context: Context, _ body: @escaping (Context) -> Void, in scheduler: SchedulerPointer
  ) {
    if !scheduler.pointee.postpones {
      scheduler.pointee.postpones = true
      scheduler.pointee.depth += 1
    }
    scheduler.pointee.postponed.append { body(context) }
  }

  @inline(never)
  private static func runPostponed(downTo first: Int, in scheduler: SchedulerPointer) {
    scheduler.pointee.postponed[first...].reverse()
    while scheduler.pointee.postponed.count > first {
      let step = scheduler.pointee.postponed.removeLast()
      let count = scheduler.pointee.postponed.count
      step()
      Scheduler.end(consume step)
      scheduler.pointee.postponed[count...].reverse()
    }
    guard scheduler.pointee.postponed.isEmpty, scheduler.pointee.postpones else { return }
    scheduler.pointee.postpones = false
    Scheduler.endBatch(scheduler)
  }
}
