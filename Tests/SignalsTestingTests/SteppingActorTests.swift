import Signals
import SignalsTesting
import TestSupport
import Testing

/// Asynchronous work that runs when the test says so.
@Suite(.leavesNothing) struct `Stepping actor` {
  private final class Lines: Sendable {
    private let lines = Locked<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  @Test func `nothing runs while the test does`() async throws {
    try await SteppingActor.run { stage in
      let log = Count()
      let app = try TestHost(Store()) {
        Button("load") {
          log.log.append("begin")
          await Task.yield()
          log.log.append("end")
        }
      }
      try app.start("load")
      #expect(log.log == [])
      #expect(app.unfinishedWork == ["the intent of \"load\""])
      await stage.settle()
      #expect(log.log == ["begin", "end"])
      #expect(app.unfinishedWork == [])
    }
  }

  @Test func `one step is a piece of work until it waits or ends`() async {
    await SteppingActor.run { stage in
      let log = Lines()
      let tasks = ["a", "b"].map { name in
        stage.start { stage in
          stage.assertIsolated()
          log.add("\(name)1")
          await Task.yield()
          log.add("\(name)2")
        }
      }
      let first = await stage.step()
      #expect((first, log.all) == (1, ["a1"]))
      let second = await stage.step()
      #expect((second, log.all) == (1, ["a1", "b1"]))
      await stage.step(10)
      #expect(log.all == ["a1", "b1", "a2", "b2"])
      let rest = await stage.step(10)
      #expect(rest == 0)
      let none = await stage.step(0)
      #expect(none == 0)
      for task in tasks { _ = await task.result }
    }
  }

  @Test func `a task that waits for a clock continues when that is advanced`() async throws {
    try await SteppingActor.run { stage in
      let clock = ManualClock()
      let text = Signal("loading")
      let app = try TestHost(Store()) {
        Text(text.value).task {
          try await clock.sleep(for: .seconds(2))
          text.value = "loaded"
        }
      }
      await stage.settle()
      #expect((app.text, clock.waitingWork) == ("loading", ["a sleeper due at 2.0 seconds"]))
      #expect(app.unfinishedWork == ["a task of the root of a host"])
      clock.advance(by: .seconds(2))
      await stage.settle()
      #expect(app.text == "loaded")
      app.finish(clock)
    }
  }

  @Test func `work that polls is told, with what is under way`() async throws {
    let messages = try await issues {
      try await SteppingActor.run { stage in
        let isDone = Signal(false)
        let app = try TestHost(Store()) {
          Button("wait") { while !isDone.peek() { await Task.yield() } }
        }
        try app.start("wait")
        await stage.settle(atMost: 100)
        isDone.value = true
        await stage.settle()
      }
    }
    #expect(
      messages == [
        """
        100 pieces of work have run, and there is more: something polls; \
        under way: the intent of "wait"
        """
      ])
  }

  @Test func `work from elsewhere does not go before waiting work`() async {
    // Many continuations are resumed from other threads while the test steps: no step may take more
    // than it was asked.
    await SteppingActor.run { stage in
      let log = Lines()
      let tasks = (0..<200).map { number in
        stage.start { _ in
          await Elsewhere.hop()
          log.add("\(number)")
        }
      }
      var most = 0
      while log.all.count < 200 {
        let before = log.all.count
        let ran = await stage.step()
        most = max(most, log.all.count - before)
        if ran == 0 { await Elsewhere.hop() }
      }
      #expect(most <= 1)
      for task in tasks { _ = await task.result }
    }
  }

  private enum Elsewhere {
    @concurrent static func hop() async { await Task.yield() }
  }

  @Test func `each run has an actor of its own, and gives its value`() async {
    async let first = SteppingActor.run { stage in ObjectIdentifier(stage) }
    let second = await SteppingActor.run { stage in
      for _ in 0..<10 { await stage.settle() }
      return 2
    }
    _ = await first
    #expect(second == 2)
  }
}
