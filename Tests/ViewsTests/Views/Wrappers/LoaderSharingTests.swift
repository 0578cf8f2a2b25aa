import Signals
import SignalsTesting
import TestSupport
import Testing

/// A run of a loader belongs to all who wait for it.
@MainActor
@Suite struct `Views, shared loading` {
  let service = `Views, loading`.Service()

  private func yield() async { for _ in 0..<100 { await Task.yield() } }

  @Test func `a caller that goes leaves the run to those who still wait`() async {
    let journal = Journal(), door = Door()
    let loader = Loader {
      journal.note("begin")
      await door.pass()
      try Task.checkCancellation()
      return 1
    }
    let one = Task { await loader.load() }
    _ = await journal.entries(1)
    let two = Task { await loader.load() }
    await yield()
    one.cancel()
    #expect(await one.value.isLoading)
    door.open()
    #expect(await two.value == .loaded(1))
  }

  @Test func `the last one that goes cancels it`() async {
    let journal = Journal(), door = Door()
    let loader = Loader {
      journal.note("begin")
      await door.pass()
      journal.note("cancelled: \(Task.isCancelled)")
      return 1
    }
    let one = Task { await loader.load() }
    _ = await journal.entries(1)
    let two = Task { await loader.load() }
    await yield()
    two.cancel()
    _ = await two.value
    #expect(loader.state.isLoading)
    one.cancel()
    #expect(await one.value == .idle)
    door.open()
    #expect(await journal.entries(2) == ["begin", "cancelled: true"])
    #expect(loader.state == .idle)
  }

  @Test func `a reload that is cancelled is still waited for by those whose run it replaced`()
    async throws
  {
    let loader = Loader { [service] in try await service.fetch() }
    let one = Task { await loader.load() }
    await service.called(1)
    let two = Task { await loader.reload() }
    await service.called(2)
    two.cancel()
    #expect(await two.value.isLoading)
    service.answers[1].resume(returning: 2)
    #expect(await one.value == .loaded(2))
    service.answers[0].resume(returning: 1)
    await yield()
    #expect(loader.state == .loaded(2))
  }

  @Test func `waiting calls return when nothing is under way any more`() async throws {
    let loader = Loader { [service] in try await service.fetch() }
    var seen: [Loadable<Int>] = []
    let effect = Effect { seen.append(loader.state) }
    let one = Task { await loader.load() }
    await service.called(1)
    let two = Task { await loader.reload() }
    await service.called(2)
    service.answers[0].resume(returning: 1)
    await yield()
    service.answers[1].resume(returning: 2)
    #expect(await one.value == .loaded(2))
    #expect(await two.value == .loaded(2))
    let loading = Loadable<Int>.loading(progress: nil, previous: nil)
    #expect(seen == [.idle, loading, loading, .loaded(2)])
    effect.cancel()
  }

  @Test func `an answer that others wait for is not lost with a view`() async throws {
    struct Shelf: View {
      @ObservedObject var numbers: Loader<Int>
      var body: Element {
        Text("\(numbers.state.value ?? 0)").task { await numbers.load() }
      }
    }
    let loader = Loader { [service] in try await service.fetch() }
    let isShown = Signal(true)
    let app = try TestHost(Store()) {
      if isShown.value { Shelf(numbers: loader) }
      Shelf(numbers: loader)
    }
    await service.called(1)
    await yield()
    #expect(
      app.host.workInFlight == [
        "a task of the body of Shelf", "a task of the body of Shelf", "a loader of Int",
      ])
    isShown.value = false
    await yield()
    #expect(app.host.workInFlight == ["a task of the body of Shelf", "a loader of Int"])
    service.answers[0].resume(returning: 7)
    await yield()
    #expect((app.text, app.host.workInFlight) == ("7", []))
  }

  @Test func `equal progress makes no frames`() async throws {
    let loader = Loader(reporting: { [service] progress in
      for _ in 0..<100 { progress(0.5) }
      return try await service.fetch()
    })
    var runs = 0
    let effect = Effect { runs += loader.state.isLoading ? 1 : 0 }
    let load = Task { await loader.load() }
    await service.called(1)
    #expect(runs == 2)
    service.answers[0].resume(returning: 1)
    _ = await load.value
    effect.cancel()
  }
}
