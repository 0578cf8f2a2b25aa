import Signals
import SignalsTesting
import TestSupport
import Testing

/// Frames at a rate.
@MainActor
@Suite struct `Views, frames at a rate` {
  let time = ManualClock()
  let number = Signal(0)

  private func screen(_ clock: FrameClock) throws -> TestHost {
    let number = number
    return try TestHost(Store(), clock: clock) { Text("\(number.value)") }
  }

  @Test func `a commit after a quiet time is shown at once`() throws {
    let app = try screen(.rate(10, clock: time))
    time.advance(by: .milliseconds(100))
    number.value = 1
    #expect(app.text == "1")
    time.advance(by: .milliseconds(100))
    number.value = 2
    #expect((app.text, app.frames) == ("2", 3))
    #expect(time.waiting == 0, "nothing waits while nothing changes")
  }

  @Test func `what is committed within an interval is one frame at its end`() throws {
    let clock = FrameClock.rate(10, clock: time)
    let app = try screen(clock)
    for value in 1...5 {
      number.value = value
      time.advance(by: .milliseconds(10))
    }
    #expect((app.text, app.frames, clock.isWaiting) == ("0", 1, true))
    time.advance(by: .milliseconds(49))
    #expect(app.frames == 1)
    time.advance(by: .milliseconds(1))
    #expect((app.text, app.frames, clock.isWaiting) == ("5", 2, false))
  }

  @Test func `there are at most so many frames a second, and the last state is shown`() throws {
    let app = try screen(.rate(20, clock: time))
    for value in 1...1000 {
      number.value = value
      time.advance(by: .milliseconds(1))
    }
    #expect(app.frames == 1 + 20)
    time.advance(by: .seconds(1))
    #expect((app.text, app.frames) == ("1000", 21))
  }

  @Test func `what ends where it began makes no frame`() throws {
    let isHigh = Computed { [number] in number.value > 5 }
    let app = try TestHost(Store(), clock: .rate(10, clock: time)) { Text("\(isHigh.value)") }
    number.value = 9
    number.value = 1
    time.advance(by: .seconds(1))
    #expect((app.frames, app.bodies) == (1, 1))
  }

  @Test func `each host has a rate of its own`() throws {
    let clock = FrameClock.rate(10, clock: time)
    let first = try screen(clock)
    time.advance(by: .milliseconds(50))
    let second = try screen(clock)
    number.value = 1
    time.advance(by: .milliseconds(50))
    #expect((first.text, second.text) == ("1", "0"))
    time.advance(by: .milliseconds(50))
    #expect((first.text, second.text) == ("1", "1"))
    time.advance(by: .milliseconds(50))
    number.value = 2
    #expect((first.text, second.text) == ("2", "1"))
    time.advance(by: .milliseconds(50))
    #expect((first.text, second.text) == ("2", "2"))
  }

  @Test func `a tick shows what waits`() throws {
    let clock = FrameClock.rate(10, clock: time)
    let app = try screen(clock)
    number.value = 1
    number.value = 2
    clock.tick()
    #expect((app.text, clock.isWaiting, time.waiting) == ("2", false, 0))
    number.value = 3
    #expect(app.text == "2", "the tick was a frame")
    time.advance(by: .milliseconds(100))
    #expect(app.text == "3")
  }

  @Test func `a host that goes leaves nothing on the clock`() throws {
    let clock = FrameClock.rate(10, clock: time)
    var app: TestHost? = try screen(clock)
    number.value = 1
    number.value = 2
    let host = Weak(try #require(app).host)
    app = nil
    #expect(host.object == nil)
    time.advance(by: .seconds(1))
    #expect((time.waiting, clock.isWaiting) == (0, false))
  }

  @Test func `a clock that only sleeps will do`() async throws {
    struct Sleeping: Clock {
      let base: ManualClock
      var now: ManualClock.Instant { base.now }
      var minimumResolution: Duration { .zero }
      func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        try await base.sleep(until: deadline, tolerance: tolerance)
      }
    }
    let app = try screen(.rate(10, clock: Sleeping(base: time)))
    number.value = 1
    number.value = 2
    while time.waiting == 0 { await Task.yield() }
    time.advance(by: .milliseconds(100))
    while app.frames < 2 { await Task.yield() }
    #expect(app.text == "2")
  }

  @Test func `a rate that is not positive, or no actor, traps`() async {
    let rate = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await MainActor.run { _ = FrameClock.rate(0, clock: ManualClock()) }
    }
    expectError(rate, "Signals: FrameClock.rate(0.0): a rate must be positive and finite")
    let actor = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = FrameClock.rate(60, clock: ManualClock(), isolation: nil)
    }
    expectError(actor, "Signals: FrameClock.rate needs an actor to run its task on")
  }
}
