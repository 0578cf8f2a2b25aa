import Signals
import TestSupport
import Testing

@Suite struct CleanupTests {
  @Test func `runs before each further run of its effect and when that is cancelled, once each`() {
    let a = Signal(1)
    var log: [String] = []
    let effect = Effect {
      let value = a.value
      log.append("run \(value)")
      onCleanup { log.append("clean \(value)") }
    }
    a.value = 2
    #expect(log == ["run 1", "clean 1", "run 2"])
    effect.cancel()
    effect.cancel()
    a.value = 3
    #expect(log == ["run 1", "clean 1", "run 2", "clean 2"])
  }

  @Test func `comes with the release of the effect`() {
    var log: [String] = []
    do {
      let effect = Effect { onCleanup { log.append("clean") } }
      withExtendedLifetime(effect) {}
    }
    #expect(log == ["clean"])
  }

  @Test func `comes in the order of registration, among the effects made beside it`() {
    let a = Signal(1)
    var log: [String] = []
    let effect = Effect {
      _ = a.value
      onCleanup { log.append("first") }
      _ = Effect { onCleanup { log.append("of the inner effect") } }
      onCleanup { log.append("last") }
    }
    a.value = 2
    #expect(log == ["first", "of the inner effect", "last"])
    effect.cancel()
    #expect(log.count == 6)
  }

  @Test func `is not what an effect runs for, nor what keeps it from running`() {
    let a = Signal(1)
    let b = Signal(1)
    var runs = 0
    let effect = Effect {
      runs += 1
      _ = a.value
      onCleanup { _ = b.value }
    }
    a.value = 2
    b.value = 2
    #expect(runs == 2)
    a.value = 3
    #expect(runs == 3)
    effect.cancel()
  }

  @Test func `that writes what its effect reads lets it see that, and never run after its end`() {
    let a = Signal(1)
    let count = Signal(0)
    var seen: [Int] = []
    let observer = Effect { seen.append(count.value) }
    var runs: [Int] = []
    let effect = Effect {
      runs.append(count.value + a.value * 100)
      onCleanup { count.value += 1 }
    }
    a.value = 2
    #expect(runs == [100, 201])
    effect.cancel()
    #expect(runs == [100, 201])
    #expect(seen == [0, 1, 2])
    #expect(ReactiveGraph.checkInvariants([a, count, observer]) == [])
    observer.cancel()
  }

  @Test func `may cancel its own effect, which then does not run`() {
    let a = Signal(1)
    var effect: Effect?
    var runs = 0
    effect = Effect {
      _ = a.value
      runs += 1
      onCleanup { effect?.cancel() }
    }
    a.value = 2
    a.value = 3
    #expect(runs == 1)
    #expect(ReactiveGraph.checkInvariants([a]) == [])
    effect = nil
  }

  @Test func `in a scope runs with it, the last first, and no effect of it runs between them`() {
    let a = Signal(0)
    var log: [String] = []
    let scope = EffectScope {
      _ = Effect { log.append("a is \(a.value)") }
      onCleanup { log.append("first") }
      onCleanup {
        log.append("second")
        a.value += 1
      }
    }
    scope.cancel()
    scope.cancel()
    #expect(log == ["a is 0", "second", "first"])
  }

  @Test func `what it writes to a store is one transaction`() throws {
    let store = Store()
    let item = Item()
    try store.add(item)
    let a = Signal(0)
    var commits = 0
    let observer = store.commits.sink { _ in commits += 1 }
    let effect = Effect {
      _ = a.value
      onCleanup {
        item.count += 1
        item.title = "cleaned"
      }
    }
    a.value = 1
    #expect(commits == 1)
    effect.cancel()
    #expect(commits == 2)
    #expect(item.count == 2)
    observer.cancel()
  }

  final class Item: Object {
    @Field var count = 0
    @Field var title = ""
  }

  struct Clock: View {
    @ObservedObject var item: Item
    let log: (String) -> Void

    var body: Element {
      let count = item.count
      let _: Void = onCleanup { log("clean \(count)") }
      Text("\(count)")
    }
  }

  @Test func `in a view's body runs before the next body, and when the view goes`() throws {
    let store = Store()
    let item = Item()
    try store.add(item)
    var log: [String] = []
    do {
      let host = ViewHost(store, renderer: TextRenderer()) {
        Clock(item: item) { log.append($0) }
      }
      item.count = 1
      #expect(log == ["clean 0"])
      withExtendedLifetime(host) {}
    }
    #expect(log == ["clean 0", "clean 1"])
  }

  @Test func `nothing outlives it`() {
    let nodes = ReactiveGraph.liveNodes
    var released = 0
    let a = Signal(0)
    let effect = Effect {
      _ = a.value
      let token = Lifetime { released += 1 }
      onCleanup { token.use() }
    }
    a.value = 1
    #expect(released == 1)
    effect.cancel()
    #expect(released == 2)
    #expect(ReactiveGraph.liveNodes == nodes + 1)
  }

  @Test func `without an owner traps with its place`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      onCleanup(file: "Module/File.swift", line: 42) {}
    }
    expectError(result, "Signals: onCleanup at Module/File.swift:42 has no owner: call it in an")
  }

  @Test func `in a computed traps with its name, in an effect too`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let total = Computed(name: "total") { () -> Int in
        untracked { onCleanup(file: "Module/File.swift", line: 42) {} }
        return 1
      }
      _ = Effect { _ = total.value }
    }
    expectError(
      result,
      "Signals: onCleanup at Module/File.swift:42 in computed 'total': it may only read")
  }
}
