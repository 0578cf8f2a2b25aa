import Signals
import SignalsTesting
import TestSupport
import Testing

/// Everything that publishes its values or changes: what holds of each of them.
@MainActor
@Suite struct `Publishers, every source` {
  enum Source: String, CaseIterable, CustomTestStringConvertible {
    case subject, currentValue, signal, computed, field, link, list, listChanges, objectChanges
    case resultsValues, resultsChanges, commits

    var testDescription: String { rawValue }
    var sendsPresentValue: Bool {
      switch self {
      case .currentValue, .signal, .computed, .field, .link, .list, .resultsValues: true
      default: false
      }
    }
  }

  /// A world of which each step is one event of every source.
  @MainActor
  final class World {
    let store = Store()
    let (novel, shelf, writer) = (makeNovel(0, "n"), makeShelf("s"), Writer())
    let (subject, current) = (Subject<Int, Never>(), CurrentValueSubject<Int, Never>(0))
    let signal = Signal(0)
    lazy var computed = Computed { [signal] in signal.value + 1 }
    var steps = 0

    init() throws {
      try store.add(novel)
      try store.add(shelf)
      novel.author = writer
    }

    func step() {
      steps += 1
      let number = steps
      subject.send(number)
      current.send(number)
      signal.value = number
      do {
        try store.write {
          novel.pages = number
          writer.name = "w\(number)"
          shelf.novels.append(makeNovel(number, "n\(number)"))
        }
      } catch { Issue.record(error) }
    }

    func publisher(_ source: Source) -> any Publisher<String, Never> {
      switch source {
      case .subject: subject.map { "\($0)" }
      case .currentValue: current.map { "\($0)" }
      case .signal: signal.publisher.map { "\($0)" }
      case .computed: computed.publisher.map { "\($0 - 1)" }
      case .field: novel.publisher(for: \.pages).map { "\($0)" }
      case .link:
        novel.publisher(for: \.author?.name).map { ($0 ?? "").dropFirst(1) }
          .map { $0.isEmpty ? "0" : String($0) }
      case .list: shelf.publisher(for: \.novels).map { "\($0.count)" }
      case .listChanges: shelf.changes(of: \.novels).map { "\($0.insertions[0] + 1)" }
      case .objectChanges: novel.changes.compactMap { $0.new(\.pages) }.map { "\($0)" }
      case .resultsValues: store.results(Novel.self).publisher.map { "\($0.count - 1)" }
      case .resultsChanges:
        store.results(Novel.self).sorted(by: \.key).changes.map { "\($0.insertions[0])" }
      case .commits:
        store.commits.compactMap { $0.changes(of: Novel.self).compactMap { $0.new(\.pages) }.max() }
          .map { "\($0)" }
      }
    }

    /// What a subscriber gets in the first steps.
    func expected(_ source: Source, _ steps: Int) -> [String] {
      ((source.sendsPresentValue ? 0 : 1)...steps).map { "\($0)" }
    }
  }

  @Test(arguments: Source.allCases)
  func `each step is sent, in order, until the end of the subscription`(source: Source) throws {
    let world = try World()
    let recorder = Recorder(world.publisher(source))
    for _ in 0..<3 { world.step() }
    #expect(recorder.events == world.expected(source, 3))
    recorder.token?.cancel()
    world.step()
    #expect(recorder.events == world.expected(source, 3))
  }

  @Test(arguments: Source.allCases, ["cancelled", "released"])
  func `who ends the subscription in a delivery gets nothing more`(source: Source, end: String)
    throws
  {
    let world = try World()
    let recorder = Recorder<String, Never>()
    recorder.onValue = { [unowned recorder] value in
      guard value == "1" else { return }
      if end == "cancelled" { recorder.token?.cancel() } else { recorder.token = nil }
      if world.steps == 1 { world.step() }
    }
    recorder.record(world.publisher(source))
    world.step()
    world.step()
    #expect(recorder.events == world.expected(source, 1))
  }

  @Test(arguments: Source.allCases)
  func `what happens in a delivery is sent after it, one at a time`(source: Source) throws {
    let world = try World()
    var log: [String] = []
    let recorder = Recorder<String, Never>()
    recorder.onValue = { value in
      log.append("begin \(value)")
      if value == "1" { world.step() }
      if value == "2" { world.step() }
      log.append("end \(value)")
    }
    recorder.record(world.publisher(source))
    world.step()
    let values = world.expected(source, 3)
    #expect(recorder.events == values)
    #expect(log == values.flatMap { ["begin \($0)", "end \($0)"] })
  }

  @Test(arguments: Source.allCases)
  func `when no more is wanted, everything is released`(source: Source) throws {
    let world = try World()
    var released = 0
    func first(_ upstream: some Publisher<String, Never>, _ life: Lifetime) -> Recorder<
      String, Never
    > {
      Recorder(
        upstream.map { value in
          life.use()
          return value
        }.prefix(1))
    }
    let recorder = first(world.publisher(source), Lifetime { released += 1 })
    world.step()
    world.step()
    #expect(recorder.events == [world.expected(source, 1)[0], "finished"] && released == 1)
  }

  @Test func `exact changes of a list lead from its old version to the new one`() throws {
    let store = Store()
    let shelf = makeShelf("s")
    try store.add(shelf)
    for key in 0..<8 { shelf.novels.append(makeNovel(key, "n\(key)")) }
    var rows = Array(shelf.novels)
    let token = shelf.changes(of: \.novels).sink { $0.apply(to: &rows) }
    var generator = SeededRandom(seed: 5)
    var keys = (100...).makeIterator()
    for _ in 0..<200 {
      try store.write {
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          switch Int.random(in: 0..<4, using: &generator) {
          case 0: shelf.novels.append(makeNovel(keys.next()!, "x"))
          case 1 where !shelf.novels.isEmpty:
            shelf.novels.remove(at: .random(in: 0..<shelf.novels.count, using: &generator))
          case 2: shelf.novels.shuffle(using: &generator)
          default: if let first = shelf.novels.first { shelf.novels.append(first) }
          }
          if shelf.novels.count > 20 { shelf.novels.removeLast(8) }
        }
      }
      #expect(rows == Array(shelf.novels))
    }
    token.cancel()
  }

  @Test func `a change within a member is no change of the list`() throws {
    let world = try World()
    world.step()
    let changes = Recorder(world.shelf.changes(of: \.novels).map { _ in "change" })
    world.shelf.novels[0].pages = 99
    #expect(changes.events == [])
  }

  @Test func `the changes of an object tell its deletion, and each commit`() throws {
    let world = try World()
    let recorder = Recorder(world.novel.changes.map { "\($0.kind) \($0.old(\.pages) ?? -1)" })
    world.novel.pages = 5
    try world.store.write {
      world.novel.pages = 6
      world.novel.pages = 5
    }
    try world.store.delete(world.novel)
    #expect(recorder.events == ["modified 0", "deleted 5"])
  }

  @Test func `a result sends no value for a modification that moves nothing`() throws {
    let world = try World()
    let rows = Recorder(world.store.results(Novel.self).publisher.map(\.count))
    world.novel.pages = 9
    #expect(rows.events == ["1"])
  }

  @Test func `a subscription keeps alive what it is of`() throws {
    weak var signal: Signal<Int>?
    weak var novel: Novel?
    let values = Recorder<Int, Never>()
    var tokens: [any Cancellable] = []
    do {
      let made = Signal(1)
      signal = made
      values.record(made.publisher)
      let unstored = makeNovel(1, "a")
      novel = unstored
      unstored.publisher(for: \.name).sink { _ in }.store(in: &tokens)
      unstored.changes.sink { _ in }.store(in: &tokens)
    }
    #expect(signal != nil && novel != nil)
    values.token = nil
    tokens.removeFirst()
    #expect(signal == nil && novel != nil)
    tokens = []
    #expect(novel == nil)
  }

  @Test func `what a subscriber writes is one transaction`() throws {
    let world = try World()
    var commits = 0
    let token = world.store.commits.sink { _ in commits += 1 }
    let writer = world.signal.publisher.dropFirst().sink { value in
      world.novel.pages = value
      world.novel.name = "\(value)"
    }
    world.signal.value = 1
    #expect(commits == 1 && world.novel.name == "1")
    token.cancel()
    writer.cancel()
  }

  @Test func `a computed is evaluated once for each change while it has a subscriber`() {
    let signal = Signal(0)
    var runs = 0
    let computed = Computed { () -> Int in
      runs += 1
      return signal.value
    }
    #expect(runs == 0)
    var tokens = (0..<3).map { _ in computed.publisher.sink { _ in } }
    signal.value = 1
    #expect(runs == 2 && tokens.count == 3)
    tokens = []
    signal.value = 2
    #expect(runs == 2)
  }

  @Test func `who subscribes in a batch gets the present value at once`() {
    let signal = Signal(0)
    let recorder = Recorder<Int, Never>()
    batch {
      signal.value = 1
      recorder.record(signal.publisher)
      #expect(recorder.events == ["1"])
      signal.value = 2
      #expect(recorder.events == ["1"])
    }
    #expect(recorder.events == ["1", "2"])
  }
}
