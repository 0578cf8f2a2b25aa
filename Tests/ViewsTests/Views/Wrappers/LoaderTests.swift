import Signals
import SignalsTesting
import TestSupport
import Testing

/// `Loader` and `Loadable`.
@MainActor
@Suite struct `Views, loading` {
  struct Offline: Error, Equatable {}

  final class Item: Object {
    @PrimaryKey var id = 0
    @Field var name = ""
    @Field var rating = 0

    convenience init(_ id: Int, _ name: String) {
      self.init()
      (self.id, self.name) = (id, name)
    }
  }

  /// Answers when the test says so.
  final class Service {
    var answers: [CheckedContinuation<Int, any Error>] = []
    var calls = 0
    let journal = Journal()

    nonisolated(nonsending) func fetch() async throws -> Int {
      calls += 1
      return try await withCheckedThrowingContinuation {
        answers.append($0)
        journal.note("call")
      }
    }

    nonisolated(nonsending) func called(_ count: Int) async { _ = await journal.entries(count) }
  }

  let service = Service()

  @Test func `it is idle, loading, loaded`() async throws {
    let loader = Loader { [service] in try await service.fetch() }
    var seen: [Loadable<Int>] = []
    let effect = Effect { seen.append(loader.state) }
    let task = Task { await loader.load() }
    await service.called(1)
    service.answers[0].resume(returning: 7)
    #expect(await task.value == .loaded(7))
    #expect(seen == [.idle, .loading(progress: nil, previous: nil), .loaded(7)])
    #expect(await loader.load() == .loaded(7))
    #expect(service.calls == 1)
    effect.cancel()
  }

  @Test func `a failure keeps what was loaded before, and loading again may mend it`() async throws
  {
    let loader = Loader { [service] in try await service.fetch() }
    let first = Task { await loader.load() }
    await service.called(1)
    service.answers[0].resume(returning: 1)
    #expect(await first.value == .loaded(1))
    let second = Task { await loader.reload() }
    await service.called(2)
    #expect(loader.state == .loading(progress: nil, previous: 1))
    #expect((loader.state.value, loader.state.isLoading) == (1, true))
    service.answers[1].resume(throwing: Offline())
    #expect(await second.value == .failed(Offline(), previous: 1))
    #expect(loader.state.error as? Offline == Offline())
    let third = Task { await loader.load() }
    await service.called(3)
    service.answers[2].resume(returning: 3)
    #expect(await third.value == .loaded(3))
  }

  @Test func `who loads while it loads waits for the same run`() async throws {
    let loader = Loader { [service] in try await service.fetch() }
    let one = Task { await loader.load() }
    await service.called(1)
    let two = Task { await loader.load() }
    for _ in 0..<100 { await Task.yield() }
    service.answers[0].resume(returning: 5)
    #expect(await one.value == .loaded(5))
    #expect(await two.value == .loaded(5))
    #expect(service.calls == 1)
  }

  @Test func `a reload replaces the run under way, however late that ends`() async throws {
    let loader = Loader { [service] in try await service.fetch() }
    let one = Task { await loader.load() }
    await service.called(1)
    let two = Task { await loader.reload() }
    await service.called(2)
    service.answers[1].resume(returning: 2)
    #expect(await two.value == .loaded(2))
    service.answers[0].resume(returning: 1)
    _ = await one.value
    #expect(loader.state == .loaded(2))
  }

  @Test func `cancelling asks the work to end, and the state is what it was`() async throws {
    let journal = Journal(), door = Door()
    let loader = Loader {
      journal.note("begin")
      await door.pass()
      journal.note("cancelled: \(Task.isCancelled)")
      return 1
    }
    let load = Task { await loader.load() }
    _ = await journal.entries(1)
    loader.cancel()
    #expect(loader.state == .idle)
    _ = await load.value
    door.open()
    #expect(await journal.entries(2) == ["begin", "cancelled: true"])
    #expect(loader.state == .idle)
  }

  @Test func `cancelling the loading task is cancelling`() async throws {
    let journal = Journal()
    let loader = Loader {
      journal.note("begin")
      while !Task.isCancelled { await Task.yield() }
      try Task.checkCancellation()
      return 1
    }
    let task = Task { await loader.load() }
    _ = await journal.entries(1)
    task.cancel()
    #expect(await task.value == .idle)
  }

  @Test func `it tells its progress, between 0 and 1`() async throws {
    var report: LoadingProgress?
    let loader = Loader(reporting: { [service] progress in
      report = progress
      for part in [-1, 0.25, 2, .nan] { progress(part) }
      return try await service.fetch()
    })
    var seen: [Double?] = []
    let effect = Effect { seen.append(loader.state.progress) }
    let load = Task { await loader.load() }
    await service.called(1)
    #expect(seen == [nil, nil, 0, 0.25, 1, 0])
    service.answers[0].resume(returning: 1)
    _ = await load.value
    report?(0.5)
    #expect(loader.state == .loaded(1))
    effect.cancel()
  }

  @Test func `it fills a graph in one commit that no undo takes back`() async throws {
    let store = Store(undoLimit: 10)
    let old = Item(1, "old")
    old.rating = 5
    try store.write(undoable: false) { try store.add(old) }
    var commits: [ChangeSet] = []
    let token = store.commits.sink { commits.append($0) }
    let loader = Loader<[Item]>(into: store) { _ in
      let item = Item(1, "new")
      item.rating = 5
      return [item, Item(2, "two")]
    }
    await loader.load()
    #expect(loader.state.value?.map(\.name) == ["new", "two"])
    #expect(loader.state.value?.first === old)
    #expect(commits.map(\.origin) == [.loader])
    #expect(commits[0].modified.flatMap { $0.properties.map(\.name) } == ["name"])
    #expect(throws: StoreError.nothingToUndo) { try store.undo() }
    token.cancel()
  }

  @Test func `a run that was replaced writes nothing, however late it ends`() async throws {
    let store = Store()
    let loader = Loader<[Item]>(into: store) { [service] _ in
      [Item(1, "answer \(try await service.fetch())")]
    }
    let one = Task { _ = await loader.load() }
    await service.called(1)
    let two = Task { _ = await loader.reload() }
    await service.called(2)
    service.answers[1].resume(returning: 2)
    await two.value
    service.answers[0].resume(returning: 1)
    await one.value
    for _ in 0..<100 { await Task.yield() }
    #expect(store.object(Item.self, primaryKey: 1)?.name == "answer 2")
  }

  @Test func `what the store refuses is a failure, and changes nothing`() async throws {
    let store = Store()
    let loader = Loader<[Item]>(into: store, onConflict: .fail) { _ in [Item(1, "a"), Item(1, "b")]
    }
    let state = await loader.load()
    #expect(state.error is StoreError)
    #expect(store.results(Item.self).isEmpty)
  }

  @Test func `a view shows each step`() async throws {
    struct Shelf: View {
      @StateObject var numbers: Loader<Int>
      var body: Element {
        Column {
          switch numbers.state {
          case .idle: Text("idle")
          case .loading(_, let previous): Text("loading, \(previous ?? 0)")
          case .loaded(let number): Text("\(number)")
          case .failed: Text("failed")
          }
          Button("Reload") { await numbers.reload() }
        }
        .task { await numbers.load() }
      }
    }
    var frames: [String] = []
    let journal = Journal()
    let renderer = TextRenderer { text in
      let line = String(text.prefix { $0 != "\n" })
      // The button is busy in some.
      if frames.last == line { return }
      frames.append(line)
      journal.note(text)
    }
    let host = ViewHost(Store(), renderer: renderer) { [service] in
      Shelf(numbers: Loader { try await service.fetch() })
    }
    await service.called(1)
    service.answers[0].resume(returning: 7)
    _ = await journal.entries(3)
    try host.start("Reload")
    await service.called(2)
    service.answers[1].resume(throwing: Offline())
    _ = await journal.entries(5)
    #expect(frames == ["idle", "loading, 0", "7", "loading, 7", "failed"])
  }

  @Test func `a run that was cancelled does not keep its loader`() async throws {
    let journal = Journal()
    var loader: Loader<Int>? = Loader {
      journal.note("begin")
      while !Task.isCancelled { await Task.yield() }
      journal.note("cancelled")
      return 1
    }
    weak let weakly = loader
    let job = LoadJob()
    job.start(loader)
    _ = await journal.entries(1)
    loader?.cancel()
    loader = nil
    #expect(await journal.entries(2) == ["begin", "cancelled"])
    await job.task?.value
    #expect(weakly == nil)
  }

  @MainActor private final class LoadJob {
    var task: Task<Void, Never>?

    func start(_ loader: Loader<Int>?) {
      task = Task { [loader] in
        var loader = loader
        await loader?.load()
        loader = nil
      }
    }
  }

  @Test func `states are mapped, and compared`() {
    let states: [Loadable<Int>] = [
      .idle, .loading(progress: 0.5, previous: 1), .loaded(2), .failed(Offline(), previous: 3),
    ]
    #expect(states.map { $0.map { "\($0)" }.value } == [nil, "1", "2", "3"])
    #expect(states.map(\.isLoading) == [false, true, false, false])
    for (place, one) in states.enumerated() {
      for (other, two) in states.enumerated() { #expect((one == two) == (place == other)) }
    }
  }
}

/// A loader without an actor.
@Suite struct `Views, loading without an actor` {
  @Test func `the work runs in the caller's task`() async {
    let journal = Journal()
    let loader = Loader {
      journal.note("work")
      return 1
    }
    #expect(await loader.load() == .loaded(1))
    #expect(await loader.load() == .loaded(1))
    #expect(journal.entries == ["work"])
  }
}
