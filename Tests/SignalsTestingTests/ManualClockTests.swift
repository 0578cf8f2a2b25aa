import Signals
import SignalsTesting
import TestSupport
import Testing

/// A clock that the test moves.
@Suite(.leavesNothing) struct `Manual clock` {
  private final class Ticks: Sendable {
    private let times = Locked<[Duration]>([])
    var all: [Duration] { times.withLock { $0 } }
    func add(_ time: Duration) { times.withLock { $0.append(time) } }
  }

  /// Starts work that wakes once a second.
  private func ticker(
    _ clock: ManualClock, _ ticks: Ticks, on stage: SteppingActor
  ) async -> Task<Void, any Error> {
    await stage.start { _ in
      while true {
        try await clock.sleep(for: .seconds(1))
        ticks.add(clock.now.offset)
      }
    }
  }

  @Test func `what sleeps again wakes each time that it is due`() async throws {
    await SteppingActor.run { stage in
      let clock = ManualClock(), ticks = Ticks()
      let task = await ticker(clock, ticks, on: stage)
      await clock.advance(by: .milliseconds(3500), on: stage)
      #expect(ticks.all == [.seconds(1), .seconds(2), .seconds(3)])
      #expect(clock.now.offset == .milliseconds(3500))
      task.cancel()
      await stage.settle()
    }
  }

  @Test func `without the actor it wakes once, at the end of the time`() async throws {
    await SteppingActor.run { stage in
      let clock = ManualClock(), ticks = Ticks()
      let task = await ticker(clock, ticks, on: stage)
      await stage.settle()
      clock.advance(by: .seconds(3))
      await stage.settle()
      #expect(ticks.all == [.seconds(3)])
      #expect(clock.waitingWork == ["a sleeper due at 4.0 seconds"])
      task.cancel()
      await stage.settle()
    }
  }

  @Test func `sleepers and timers take their turns in order`() async throws {
    try await SteppingActor.run { stage in
      let clock = ManualClock()
      let log = Signal<[String]>([])
      let token = Every(.seconds(2), clock: clock).sink { _ in log.update { $0.append("timer") } }
      let app = try TestHost(Store()) {
        Text(log.value.joined(separator: " ")).task {
          for name in ["one", "two", "three"] {
            try await clock.sleep(for: .milliseconds(1500))
            log.update { $0.append(name) }
          }
        }
      }
      await clock.advance(by: .seconds(5), on: stage)
      #expect(app.text == "one timer two timer three")
      token.cancel()
    }
  }
}
