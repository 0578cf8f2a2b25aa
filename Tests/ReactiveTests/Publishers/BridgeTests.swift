import Signals
import TestSupport
import Testing

@Suite struct `Publishers, of signals, objects, results and stores` {
  @Test func `a signal sends its value, then each new one`() {
    let signal = Signal(1)
    let recorder = Recorder(signal.publisher)
    signal.value = 2
    signal.value = 2
    signal.value = 3
    #expect(recorder.events == ["1", "2", "3"])
    recorder.token?.cancel()
    signal.value = 4
    #expect(recorder.events == ["1", "2", "3"])
  }

  @Test func `a batch is one value, and none if it ends where it began`() {
    let signal = Signal(1)
    let recorder = Recorder(signal.publisher)
    batch {
      signal.value = 2
      signal.value = 3
    }
    batch {
      signal.value = 4
      signal.value = 3
    }
    #expect(recorder.events == ["1", "3"])
  }

  @Test func `a computed sends its value, then each new one, and never a half-made one`() {
    let (a, b) = (Signal(1), Signal(10))
    let sum = Computed { a.value + b.value }
    let recorder = Recorder(sum.publisher)
    a.value = 2
    batch {
      a.value = 3
      b.value = 20
    }
    batch {
      a.value = 4
      b.value = 19
    }
    #expect(recorder.events == ["11", "12", "23"])
  }

  @Test func `subscribers get a value after effects, in the order in which they subscribed`() {
    let signal = Signal(0)
    var log: [String] = []
    let a = signal.publisher.dropFirst().sink { log.append("a\($0)") }
    let b = signal.publisher.dropFirst().sink { log.append("b\($0)") }
    let effect = Effect { log.append("effect \(signal.value)") }
    log = []
    signal.value = 1
    #expect(log == ["effect 1", "a1", "b1"])
    withExtendedLifetime((a, b, effect)) {}
  }

  @Test func `what a subscriber writes comes after, and each value arrives`() {
    let signal = Signal(0)
    let recorder = Recorder(signal.publisher)
    recorder.onValue = { if (1...3).contains($0) { signal.value = $0 + 1 } }
    signal.value = 1
    #expect(recorder.events == ["0", "1", "2", "3", "4"])
  }

  @Test func `a pipeline made in an effect is no dependency of it`() {
    let (signal, trigger) = (Signal(0), Signal(0))
    var (runs, tokens) = (0, [any Cancellable]())
    let effect = Effect {
      _ = trigger.value
      runs += 1
      signal.publisher.sink { _ in }.store(in: &tokens)
    }
    signal.value = 1
    #expect(runs == 1)
    trigger.value = 1
    #expect(runs == 2 && tokens.count == 2)
    effect.cancel()
  }

  @Test func `the end releases the observation`() {
    let signal = Signal(0)
    var released = 0
    do {
      let life = Lifetime { released += 1 }
      let recorder = Recorder(
        signal.publisher.map {
          life.use(); return $0
        }.prefix(2))
      signal.value = 1
      #expect(recorder.events == ["0", "1", "finished"])
    }
    #expect(released == 1)
    signal.value = 2
  }

  @Test func `an object sends what a key path leads to, once a transaction`() throws {
    let store = Store()
    let novel = makeNovel(1, "a")
    let writer = Writer()
    try store.add(novel)
    let names = Recorder(novel.publisher(for: \.name))
    let authors = Recorder(novel.publisher(for: \.author?.name))
    try store.write {
      novel.name = "b"
      novel.name = "c"
      writer.name = "Ada"
      novel.author = writer
    }
    novel.pages = 7
    writer.name = "Grace"
    try store.delete(novel)
    #expect(names.events == ["a", "c"])
    #expect(authors.events == ["nil", "Optional(\"Ada\")", "Optional(\"Grace\")", "nil"])
  }

  @Test func `a list is published like any property`() throws {
    let store = Store()
    let shelf = makeShelf("s")
    try store.add(shelf)
    let counts = Recorder(shelf.publisher(for: \.novels).map(\.count))
    try store.write {
      shelf.novels.append(makeNovel(1, "a"))
      shelf.novels.append(makeNovel(2, "b"))
    }
    #expect(counts.events == ["0", "2"])
  }

  @Test func `the changes of a result lead from its old rows to its new ones`() throws {
    let store = Store()
    let novels = store.results(Novel.self).sorted(by: \.name)
    try store.add(makeNovel(1, "m"))
    var rows = Array(novels)
    let token = novels.changes.sink { $0.apply(to: &rows) }
    let descriptions = Recorder(novels.changes.map { "\($0.insertions)" })
    for (key, name) in [(2, "a"), (3, "z"), (4, "n")] { try store.add(makeNovel(key, name)) }
    #expect(rows == Array(novels) && descriptions.events == ["[0]", "[2]", "[2]"])
    token.cancel()
    try store.add(makeNovel(5, "b"))
    #expect(rows.count == 4)
  }

  @Test func `a result publishes its rows, coalesced`() throws {
    let store = Store()
    let novels = store.results(Novel.self).sorted(by: \.name)
    let recorder = Recorder(novels.publisher.map { $0.map(\.name).joined() })
    try store.write {
      try store.add(makeNovel(1, "b"))
      try store.add(makeNovel(2, "a"))
    }
    try store.add(makeNovel(3, "c"))
    #expect(recorder.events == ["", "ab", "abc"])
  }

  @Test func `commits are published one by one, in order, after all else`() throws {
    let store = Store()
    let novel = makeNovel(1, "a")
    try store.add(novel)
    var log: [String] = []
    let commits = store.commits.compactMap { $0.changes(of: Novel.self).first?.new(\.pages) }
      .sink { log.append("commit \($0)") }
    let values = novel.publisher(for: \.pages).sink { pages in
      log.append("value \(pages)")
      if pages == 1 { novel.pages = 2 }
    }
    log = []
    novel.pages = 1
    #expect(log == ["value 1", "value 2", "commit 1", "commit 2"])
    withExtendedLifetime((commits, values)) {}
  }

  @Test func `commits stop when no more is wanted`() throws {
    let store = Store()
    let recorder = Recorder(store.commits.prefix(1).map { "\($0.changes.count)" })
    try store.add(makeNovel(1, "a"))
    try store.add(makeNovel(2, "b"))
    #expect(recorder.events == ["1", "finished"])
  }

  @Test func `subscriptions leave no node behind`() {
    let signal = Signal(0)
    let before = ReactiveGraph.liveNodes
    for _ in 0..<10 {
      let recorder = Recorder(signal.publisher)
      signal.value += 1
      recorder.token = nil
    }
    #expect(ReactiveGraph.liveNodes == before)
  }
}
