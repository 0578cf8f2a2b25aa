// Time: one closure that runs later, on the actor that it belongs to.
//
// State of a timer: `action` until it ran or was cancelled; `task`, which sleeps on the clock, or
// `callbackClock`, which calls back.
//
// A timer is Sendable although its closure is not, because the closure stays on one actor:
// - it is made there: `init` checks that the actor is the one whose code runs;
// - it is run there: `fire` is isolated to the actor, or checks likewise if a manual clock calls it;
// - it is released there: by `fire` or by `cancel`, which only the owner of the timer calls, and whoever
//   owns it is not Sendable and so belongs to the actor, or is being released together with it. In the
//   latter case nobody holds the actor, so that `fire` does not run: the task holds it weakly.
// The task itself touches nothing but these two.

/// A clock that calls back by itself, so that a test needs no task and awaits nothing.
package protocol CallbackClock: Sendable {
  /// Calls `fire` on the timer when so much time has passed; of those due at one time, in the order of
  /// their `order`.
  func schedule(_ timer: ClockTimer, after duration: Duration)
  /// Forgets a timer that was cancelled.
  func unschedule(_ timer: ClockTimer)
}

/// The actor that timers and tasks run on.
struct TaskIsolation {
  private let reference: WeakActor

  init(_ actor: (any Actor)?, _ operation: String) {
    if let actor {
      reference = WeakActor(actor)
    } else if let place = Workplace.present {
      self = place.isolation
    } else {
      trap("\(operation) needs an actor to run its task on: use it on one, as on the main actor")
    }
  }

  fileprivate init(_ reference: WeakActor) { self.reference = reference }

  /// The actor, on which the caller must run; nil if it is gone.
  func checkedActor() -> WeakActor {
    // Where it fails, the runtime names the actor, and prints no message of ours.
    reference.actor?.preconditionIsolated()
    return reference
  }
}

/// An actor that is not kept alive: it owns what subscribes, and must not be owned by that.
struct WeakActor {
  private weak let other: (any Actor)?
  /// The one that never dies.
  private let main: MainActor?

  init(_ actor: (any Actor)?) {
    main = actor as? MainActor
    other = main == nil ? actor : nil
  }

  /// The actor; nil if it is gone.
  var actor: (any Actor)? { main ?? other }
}

/// When something is due.
///
/// What is due at one time comes in the order in which that was decided, though its timer may be set later:
/// so it has the number of the decision.
struct Deadline<Instant: InstantProtocol>: Equatable {
  let instant: Instant
  let order: UInt64

  init(_ instant: Instant) {
    self.instant = instant
    order = Order.next()
  }

  static func == (one: Deadline, other: Deadline) -> Bool { one.order == other.order }
}

/// A closure that runs once, later.
///
/// Unchecked, and safe: the closure is made, run and released on one actor, as the head of this file shows
/// case by case; the task that crosses domains touches nothing but `actor` and `fire`.
package final class ClockTimer: Cancellable, @unchecked Sendable {
  private let actor: WeakActor
  private var action: (() -> Void)?
  private var task: Task<Void, Never>?
  private var callbackClock: (any CallbackClock)?
  /// Which of several timers due at one time comes first: the lower.
  package private(set) var order: UInt64 = 0

  init(_ isolation: TaskIsolation, _ action: @escaping () -> Void) {
    actor = isolation.checkedActor()
    self.action = action
  }

  /// Starts to wait.
  func start<C: Clock>(_ clock: C, until deadline: Deadline<C.Instant>)
  where C.Duration == Duration {
    if let callbackClock = clock as? any CallbackClock {
      self.callbackClock = callbackClock
      order = deadline.order
      return callbackClock.schedule(self, after: clock.now.duration(to: deadline.instant))
    }
    let instant = deadline.instant
    task = Task { [weak self] in
      try? await clock.sleep(until: instant, tolerance: nil)
      guard let self, let actor = self.actor.actor else { return }
      await self.fire(on: actor)
    }
  }

  private func fire(on actor: isolated any Actor) { run() }

  /// Runs the closure now; only a manual clock calls this.
  package func fire() {
    actor.actor?.preconditionIsolated()
    run()
  }

  private func run() {
    task = nil
    callbackClock = nil
    guard let action = action.take() else { return }
    Workplace.run(at: Workplace(TaskIsolation(actor)), action)
  }

  /// Releases the closure, which does not run any more.
  package func cancel() {
    let dropped = action.take()
    task.take()?.cancel()
    callbackClock.take()?.unschedule(self)
    // Last, for what is released may let time pass.
    withExtendedLifetime(dropped) {}
  }
}

/// A timer that can be set again and again.
///
/// State: `timer` while it is set.
final class Alarm<C: Clock>: Cancellable where C.Duration == Duration {
  let clock: C
  private let isolation: TaskIsolation
  private var timer: ClockTimer?

  init(_ clock: C, _ isolation: TaskIsolation) {
    self.clock = clock
    self.isolation = isolation
  }

  /// Whether it will ring.
  var isSet: Bool { timer != nil }

  /// When something is due that comes so much later.
  func deadline(after interval: Duration) -> Deadline<C.Instant> {
    Deadline(clock.now.advanced(by: interval))
  }

  /// Runs a closure at a time, instead of what it was set for before.
  func set(_ deadline: Deadline<C.Instant>, _ action: @escaping () -> Void) {
    cancel()
    let timer = ClockTimer(isolation) { [weak self] in
      self?.timer = nil
      action()
    }
    self.timer = timer
    timer.start(clock, until: deadline)
  }

  func cancel() { timer.take()?.cancel() }

  deinit { cancel() }
}

/// Stops the program if an interval that an operator was given is not positive.
func checkInterval(_ interval: Duration, _ operation: String) {
  if interval <= .zero { trap("\(operation) of \(interval): an interval must be positive") }
}
