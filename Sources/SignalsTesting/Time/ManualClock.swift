public import Signals
public import Testing

/// A clock for tests, on which time passes only when the test advances it.
///
/// - The timers of publishers run within ``advance(by:)``, in the order in which they are due.
///   Timers that they start run too, if they are due by then. The test doesn't need to await
///   anything.
/// - Other code that sleeps on the clock is woken in the same order. It runs when its executor
///   schedules it, after ``advance(by:)`` has returned, when the clock already shows the final
///   time. A loop that sleeps for a second each time wakes only once for three seconds; with
///   ``advance(by:on:)`` it wakes three times.
/// - Advance the clock on the actor that the timers belong to. Elsewhere it traps.
///
/// ```swift
/// let clock = ManualClock()
/// let token = typed.debounce(for: .seconds(1), clock: clock).sink { searches.append($0) }
/// typed.send("swift")
/// clock.advance(by: .seconds(1))
/// ```
public final class ManualClock: Clock, CallbackClock {
  /// A time on the clock, measured from the creation of the clock.
  public struct Instant: InstantProtocol, CustomStringConvertible {
    /// The time since the clock was created.
    public let offset: Duration

    /// Creates a time from the duration since the clock was created.
    public init(offset: Duration) { self.offset = offset }

    /// Returns this time advanced by a duration.
    ///
    /// - Returns: The later time, or an earlier one if the duration is negative.
    public func advanced(by duration: Duration) -> Instant {
      Instant(offset: offset + duration)
    }

    /// Returns the duration from this time to another.
    ///
    /// - Returns: The duration, which is negative if the other time is earlier.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Returns whether the first time is earlier.
    public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }

    /// The text of the offset.
    public var description: String { "\(offset)" }
  }

  private enum Waiter {
    case timer(ClockTimer)
    case sleeper(CheckedContinuation<Void, any Error>)
  }

  private struct Entry {
    let due: Instant
    let number: UInt64
    let waiter: Waiter
  }

  private struct State {
    var now = Instant(offset: .zero)
    var entries: [Entry] = []
    var cancelled: Set<UInt64> = []
  }

  private let state = Locked(State())

  /// Creates a clock that shows time zero.
  public init(sourceLocation: SourceLocation = #_sourceLocation) {
    LeakRecorder.current?.watch(self, at: sourceLocation)
    ExhaustiveRecorder.current?.watch(self)
  }

  /// The current time, which only changes when the clock is advanced.
  public var now: Instant { state.withLock { $0.now } }

  /// The resolution, which is zero: the clock distinguishes arbitrarily short durations.
  public var minimumResolution: Duration { .zero }

  /// The number of waiting timers and sleepers.
  public var waiting: Int { state.withLock { $0.entries.count } }

  /// Descriptions of the waiting timers and sleepers with their due times, in the order in which
  /// they are due.
  public var waitingWork: [String] {
    let entries = state.withLock { $0.entries }
    return entries.sorted { ($0.due, $0.number) < ($1.due, $1.number) }.map { entry in
      switch entry.waiter {
      case .timer: "a timer due at \(entry.due)"
      case .sleeper: "a sleeper due at \(entry.due)"
      }
    }
  }

  /// Advances the clock, and runs or wakes everything that becomes due, in order.
  ///
  /// - Precondition: `duration` isn't negative.
  public func advance(by duration: Duration) {
    if duration < .zero { trap("ManualClock.advance(by: \(duration)): time only passes") }
    let target = now.advanced(by: duration)
    while let waiter = next(until: target) {
      switch waiter {
      case .timer(let timer): timer.fire()
      case .sleeper(let continuation): continuation.resume()
      }
    }
    state.withLock { $0.now = max($0.now, target) }
  }

  /// Advances the clock, and runs all work on an actor each time that a timer or sleeper becomes
  /// due.
  ///
  /// So code that sleeps repeatedly sees the time at which each sleep was due, and sleeps again
  /// from there.
  ///
  /// ```swift
  /// // while !Task.isCancelled { try await clock.sleep(for: .seconds(1)); ticks += 1 }
  /// await clock.advance(by: .seconds(3), on: stage)
  /// #expect(ticks == 3)
  /// ```
  ///
  /// - Parameters:
  ///   - duration: The time that passes.
  ///   - stage: The actor whose work runs.
  /// - Precondition: `duration` isn't negative.
  public func advance(by duration: Duration, on stage: isolated SteppingActor) async {
    if duration < .zero { trap("ManualClock.advance(by: \(duration)): time only passes") }
    // Work that is ready now may begin to sleep first.
    await stage.settle()
    let target = now.advanced(by: duration)
    while let due = state.withLock({ state in state.entries.map(\.due).min() }), due <= target {
      advance(by: now.duration(to: max(now, due)))
      await stage.settle()
    }
    advance(by: now.duration(to: target))
  }

  private func next(until target: Instant) -> Waiter? {
    state.withLock { state in
      let next = state.entries.indices.min {
        let (a, b) = (state.entries[$0], state.entries[$1])
        return (a.due, a.number) < (b.due, b.number)
      }
      guard let next, state.entries[next].due <= target else { return nil }
      let entry = state.entries.remove(at: next)
      state.now = max(state.now, entry.due)
      return entry.waiter
    }
  }

  package func schedule(_ timer: ClockTimer, after duration: Duration) {
    state.withLock { state in
      state.entries.append(
        Entry(due: state.now.advanced(by: duration), number: timer.order, waiter: .timer(timer)))
    }
  }

  package func unschedule(_ timer: ClockTimer) {
    state.withLock { state in
      state.entries.removeAll {
        if case .timer(let other) = $0.waiter { other === timer } else { false }
      }
    }
  }

  /// Sleeps until the clock is advanced to a time, or the task is cancelled.
  ///
  /// - Parameters:
  ///   - deadline: The time at which the sleep ends.
  ///   - tolerance: Ignored, because the time only changes when the clock is advanced.
  /// - Throws: `CancellationError` if the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let number = CreationOrder.next()
    // A cancellation that came too late has left its number.
    defer { state.withLock { _ = $0.cancelled.remove(number) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isOver = state.withLock { state -> Result<Void, any Error>? in
          if state.cancelled.contains(number) { return .failure(CancellationError()) }
          if deadline <= state.now { return .success(()) }
          state.entries.append(
            Entry(due: deadline, number: number, waiter: .sleeper(continuation)))
          return nil
        }
        if let isOver { continuation.resume(with: isOver) }
      }
    } onCancel: {
      let waiter = state.withLock { state -> Waiter? in
        guard let index = state.entries.firstIndex(where: { $0.number == number }) else {
          state.cancelled.insert(number)
          return nil
        }
        return state.entries.remove(at: index).waiter
      }
      if case .sleeper(let continuation) = waiter {
        continuation.resume(throwing: CancellationError())
      }
    }
  }
}
