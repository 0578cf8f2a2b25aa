import Signals
import SignalsTesting
import TestSupport
import Testing

/// A programmer's error traps, with a message that names the operator.
@Suite struct `Publishers, misuse` {
  @Test func `a negative prefix`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Just(1).prefix(-1)
    }
    expectError(result, "prefix(-1): a count can't be negative")
  }

  @Test func `a negative dropFirst`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Just(1).dropFirst(-2)
    }
    expectError(result, "dropFirst(-2): a count can't be negative")
  }

  @Test func `a negative retry`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Just(1).retry(-1)
    }
    expectError(result, "retry(-1): a count can't be negative")
  }

  @Test func `a negative replay`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Just(1).replay(-1)
    }
    expectError(result, "replay(-1): a count can't be negative")
  }

  @Test func `a buffer without room`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Just(1).values(buffering: .newest(0))
    }
    expectError(result, "values(buffering: newest(0)): a buffer needs room for one")
  }

  @Test func `an empty merge`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Merge<Int, Never>([])
    }
    expectError(result, "Merge of no publishers: it needs at least one")
  }

  @Test func `an empty combineLatest`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = CombineLatest<Int, Never>([])
    }
    expectError(result, "CombineLatest of no publishers: it needs at least one")
  }

  @Test func `an empty zip`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Zip<Int, Never>([])
    }
    expectError(result, "Zip of no publishers: it needs at least one")
  }

  @Test func `an interval of zero`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await onMain { _ = Just(1).debounce(for: .zero) }
    }
    expectError(result, "debounce of 0.0 seconds: an interval must be positive")
  }

  @Test func `a negative interval`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await onMain { _ = Every(.seconds(-1)) }
    }
    expectError(result, "Every of -1.0 seconds: an interval must be positive")
  }

  @Test func `the other intervals`() async {
    let throttle = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await onMain { _ = Just(1).throttle(for: .zero, latest: true) }
    }
    expectError(throttle, "throttle of 0.0 seconds: an interval must be positive")
    let delay = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await onMain { _ = Just(1).delay(for: .zero) }
    }
    expectError(delay, "delay of 0.0 seconds: an interval must be positive")
    let timeout = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await onMain { _ = Just(1).timeout(.zero) }
    }
    expectError(timeout, "timeout of 0.0 seconds: an interval must be positive")
  }

  @Test func `a negative pause`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await onMain {
        let retried = Fail<Int, Fault>(.broken).retry(1) { _ in .seconds(-1) }
        _ = retried.sink { _ in
        } receiveValue: { _ in
        }
      }
    }
    expectError(result, "retry after -1.0 seconds: a pause can't be negative")
  }

  @Test func `a timed operator without an actor`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      withoutActor { _ = Just(1).debounce(for: .seconds(1)) }
    }
    expectError(result, "debounce needs an actor to run its task on")
  }

  @Test func `a future or an asynchronous sequence without an actor`() async {
    let future = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      withoutActor { _ = Future { 1 } }
    }
    expectError(future, "Future needs an actor to run its task on")
    let sequence = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      withoutActor { _ = AsyncStream<Int> { $0.finish() }.publisher() }
    }
    expectError(sequence, "publisher() needs an actor to run its task on")
  }

  @Test func `a timed operator that is subscribed to on another actor`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let maker = Elsewhere()
      await maker.make()
      await Elsewhere().subscribe()
      await maker.make()
    }
    expectError(result, "Incorrect actor executor assumption")
  }

  @Test func `time that runs backwards`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ManualClock().advance(by: .seconds(-1))
    }
    expectError(result, "ManualClock.advance(by: -1.0 seconds): time only passes")
  }
}

@MainActor
private func onMain(_ body: @MainActor () -> Void) { body() }

private func withoutActor(_ body: () -> Void) { body() }

// What the compiler refuses, so that the check at run time can be seen.
private nonisolated(unsafe) var smuggled: (any Publisher<Int, Never>)?

private actor Elsewhere {
  func make() { unsafe smuggled = Just(1).delay(for: .seconds(1)) }
  func subscribe() { _ = unsafe smuggled?.sink { _ in } }
}
