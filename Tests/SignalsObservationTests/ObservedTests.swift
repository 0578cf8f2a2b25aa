import Observation
import Signals
import SignalsObservation
import Testing

@Observable final class Settings {
  var size = 1
  var name = "Ada"
  var isOn = false
  var shown: String { isOn ? name : "-" }
}

/// Lets the actor take turns until something holds, or for so long that it never will.
func turns(
  until isTrue: () -> Bool, isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation
) async {
  for _ in 0..<1_000_000 {
    if isTrue() { return }
    await Task.yield()
  }
  Issue.record("it never came", sourceLocation: sourceLocation)
}

@Suite @MainActor struct ObservedTests {
  @Test func `is read again on the next turn, and not before`() async {
    let settings = Settings()
    let size = Observed(settings, \.size)
    let double = Computed { size.value * 2 }
    var seen: [Int] = []
    let effect = Effect { seen.append(double.value) }
    settings.size = 5
    #expect(size.value == 1)
    settings.size = 7
    #expect(seen == [2])
    await turns { size.peek() == 7 }
    #expect(seen == [2, 14])
    settings.size = 8
    await turns { size.peek() == 8 }
    #expect(seen == [2, 14, 16])
    effect.cancel()
  }

  @Test func `what comes out equal is no change, and other properties are none`() async {
    let settings = Settings()
    let shown = Observed(settings, \.shown)
    let name = Observed(settings, \.name, isEqual: { $0.count == $1.count })
    var runs = (shown: 0, name: 0)
    let effects = [
      Effect {
        _ = shown.value
        runs.shown += 1
      },
      Effect {
        _ = name.value
        runs.name += 1
      },
    ]
    settings.size = 9
    settings.name = "Bob"
    let marker = Observed(settings, \.size)
    settings.size = 10
    await turns { marker.peek() == 10 }
    #expect(runs == (1, 1))
    settings.isOn = true
    await turns { shown.peek() == "Bob" }
    settings.name = "Grace"
    await turns { shown.peek() == "Grace" && name.peek() == "Grace" }
    #expect(runs == (3, 2))
    effects.forEach { $0.cancel() }
  }

  @Test func `is no dependency of what it is made in, nor kept by it`() async {
    let settings = Settings()
    let a = Signal(0)
    var made: [Observed<Int>] = []
    var runs = 0
    let effect = Effect {
      runs += 1
      _ = a.value
      made.append(Observed(settings, \.size))
    }
    settings.size = 3
    await turns { made[0].peek() == 3 }
    #expect(runs == 1)
    effect.cancel()
    settings.size = 4
    await turns { made[0].peek() == 4 }
  }

  @Test func `ends with its last reference, and releases the model`() async {
    let nodes = ReactiveGraph.liveNodes
    weak var model: Settings?
    weak var bridge: Observed<Int>?
    do {
      let settings = Settings()
      model = settings
      do {
        let size = Observed(settings, \.size)
        bridge = size
        settings.size = 2
        withExtendedLifetime(size) {}
      }
      #expect(bridge == nil)
      // The task that this wakes finds nobody.
      settings.size = 3
      #expect(ReactiveGraph.liveNodes == nodes)
    }
    for _ in 0..<100 { await Task.yield() }
    #expect(model == nil)
  }

  @Test func `goes round in a circle with our own values`() async {
    // Our side writes the model, which our side observes.
    let settings = Settings()
    let size = Observed(settings, \.size)
    let limit = Signal(10)
    let effect = Effect { settings.size = min(limit.value, size.value + 1) }
    await turns { size.peek() == 10 }
    limit.value = 12
    await turns { size.peek() == 12 }
    effect.cancel()
  }

  @Test func `both ways at once, nothing is lost`() async {
    let settings = Settings()
    let size = Observed(settings, \.size)
    let doubled = ObservableValue { size.value * 2 }
    var seen: [Int] = []
    for await next in Observations({ doubled.value }) {
      seen.append(next)
      if next >= 20 { break }
      settings.size += 1
    }
    #expect(seen.last == 20)
    #expect(seen == seen.sorted())
  }
}

@Suite struct ObservedOnActorTests {
  actor Desk {
    private let settings = Settings()
    private var size: Observed<Int>?
    private var seen: [Int] = []
    private var effect: Effect?
    private let onDeinit: @Sendable () -> Void

    init(onDeinit: @escaping @Sendable () -> Void = {}) { self.onDeinit = onDeinit }

    deinit { onDeinit() }

    func start() {
      let size = Observed(settings, \.size)
      self.size = size
      let log = Log()
      self.log = log
      // No lock: the thread sanitizer would see a bridge that writes from elsewhere.
      effect = Effect { log.sizes.append(size.value) }
    }

    private final class Log { var sizes: [Int] = [] }
    private var log: Log?

    func write(_ size: Int) { settings.size = size }

    func waitForLast(_ size: Int) async -> [Int] {
      await turns { self.log?.sizes.last == size }
      return log?.sizes ?? []
    }

    func stop() { effect = nil }
  }

  @Test func `works on any actor, from many tasks at once`() async {
    let desk = Desk()
    await desk.start()
    await withTaskGroup(of: Void.self) { group in
      for size in 2...200 { group.addTask { await desk.write(size) } }
    }
    await desk.write(1000)
    let seen = await desk.waitForLast(1000)
    #expect(seen.first == 1)
    #expect(seen.last == 1000)
    await desk.stop()
  }

  @Test func `doesn't keep the actor that owns it`() async {
    await confirmation { gone in
      weak var released: Desk?
      do {
        let desk = Desk { gone() }
        released = desk
        await desk.start()
        await desk.write(2)
        _ = await desk.waitForLast(2)
        await desk.stop()
      }
      for _ in 0..<10_000 where released != nil { await Task.yield() }
    }
  }
}
