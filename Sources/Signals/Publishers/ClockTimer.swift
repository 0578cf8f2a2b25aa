// Timers: a closure that runs later, on the actor that it belongs to.
//
// A timer is Sendable although its closure isn't, because the closure stays on one actor:
// - It is created there: `init` checks that the current code runs on the actor.
// - It is run there: `fire` is isolated to the actor, or checks that it runs there if a manual
//   clock calls it.
// - It is released there, by `fire` or `cancel`. Only the owner of the timer calls `cancel`. The
//   owner isn't Sendable, so it either belongs to the actor or is being released together with it.
//   In the latter case the actor has no other references, so `fire` doesn't run: the task holds the
//   actor weakly.
//
// The task itself uses only `actor` and `fire`.

/// A clock that calls timers back directly, so that a test needs no task and awaits nothing.
package protocol CallbackClock: Sendable {
  /// Calls `fire` on the timer after a duration; timers due at the same time fire by ascending
  /// `order`.
  func schedule(_ timer: ClockTimer, after duration: Duration)
  /// Removes a timer that was cancelled.
  func unschedule(_ timer: ClockTimer)
}

/// The time at which an action is due.
///
/// Actions due at the same time run in the order in which their deadlines were created, even if
/// their timers are set later. So each deadline has a number.
struct Deadline<Instant: InstantProtocol>: Equatable {
  let instant: Instant
  let order: UInt64

  init(_ instant: Instant) {
    self.instant = instant
    order = CreationOrder.next()
  }

  static func == (one: Deadline, other: Deadline) -> Bool { one.order == other.order }
}

/// A closure that runs once, later.
///
/// The unchecked conformance is safe: the closure is created, run and released on one actor, as the
/// header of this file shows case by case. The task that crosses domains uses only `actor` and
/// `fire`.
package final class ClockTimer: Cancellable, @unchecked Sendable {
  private let actor: WeakActor
  /// The closure, until it has run or was cancelled.
  private var action: (() -> Void)?
  /// The task that sleeps on the clock.
  private var task: Task<Void, Never>?
  /// The clock that calls back, in place of a task.
  private var callbackClock: (any CallbackClock)?
  /// Orders timers that are due at the same time; the lowest comes first.
  package private(set) var order: UInt64 = 0

  init(on isolation: TaskIsolation, action: @escaping () -> Void) {
    actor = isolation.checkedActor()
    self.action = action
  }

  /// Starts to wait for the deadline.
  func start<C: Clock>(_ clock: C, until deadline: Deadline<C.Instant>)
  where C.Duration == Duration {
    if let callbackClock = clock as? any CallbackClock {
      self.callbackClock = callbackClock
      order = deadline.order
      return callbackClock.schedule(self, after: clock.now.duration(to: deadline.instant))
    }
    ClockUses.current?.note(C.self)
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
    CurrentActor.run(on: CurrentActor(TaskIsolation(actor)), action)
  }

  /// Releases the closure without running it.
  package func cancel() {
    let dropped = action.take()
    task.take()?.cancel()
    callbackClock.take()?.unschedule(self)
    // Released last, because releasing the closure may let time pass.
    withExtendedLifetime(dropped) {}
  }
}

/// A timer that can be set repeatedly.
final class Alarm<C: Clock>: Cancellable where C.Duration == Duration {
  let clock: C
  private let isolation: TaskIsolation
  /// The timer, while the alarm is set.
  private var timer: ClockTimer?

  init(_ clock: C, on isolation: TaskIsolation) {
    self.clock = clock
    self.isolation = isolation
  }

  /// Whether the alarm will ring.
  var isSet: Bool { timer != nil }

  /// The deadline after an interval from now.
  func deadline(after interval: Duration) -> Deadline<C.Instant> {
    Deadline(clock.now.advanced(by: interval))
  }

  /// Sets the alarm to run a closure at a deadline, replacing the previous one.
  func set(_ deadline: Deadline<C.Instant>, action: @escaping () -> Void) {
    cancel()
    let timer = ClockTimer(on: isolation) { [weak self] in
      self?.timer = nil
      action()
    }
    self.timer = timer
    timer.start(clock, until: deadline)
  }

  func cancel() { timer.take()?.cancel() }

  deinit { cancel() }
}

/// Stops the program if the interval passed to an operator isn't positive.
func checkInterval(_ interval: Duration, of operation: String) {
  if interval <= .zero { trap("\(operation) of \(interval): an interval must be positive") }
}
