// Replicas over one log, on the main actor.

internal import Signals
internal import SignalsSync
internal import TestSupport
internal import Testing

@MainActor
@Suite struct ReplicaTests {
  let log = InProcessLog()

  @Test func `Stores that join a partition show the same objects`() async throws {
    let (one, two) = (Member(1, log), Member(2, log))
    try await one.join("a")
    try await two.join("a")
    let page = try one.add("p", in: "a")
    page.visits = 3
    await one.replica.flush()
    try await two.reaches(one)
    #expect(two.visible == one.visible)
    #expect(two.titles == ["p"])
  }

  @Test func `A partition that isn't joined isn't delivered`() async throws {
    let (one, two) = (Member(1, log), Member(2, log))
    try await two.join("a")
    try one.add("p", in: "a")
    try one.add("q", in: "b")
    await one.replica.flush()
    try await two.eventually { two.titles == ["p"] }
    #expect(two.replica.partitions == ["a"])
  }

  @Test func `An object that is added in a partition joins it`() async throws {
    let (one, two) = (Member(1, log), Member(2, log))
    try one.add("p", in: "a")
    await one.replica.flush()
    try two.add("q", in: "a")
    try await two.eventually { two.titles == ["p", "q"] }
    try await one.eventually { one.titles == ["p", "q"] }
  }

  @Test func `A commit over two partitions is a change set in each`() async throws {
    let one = Member(1, log)
    try one.store.write {
      try one.add("p", in: "a")
      try one.add("q", in: "b")
    }
    await one.replica.flush()
    #expect(try await log.head(of: "a").position == 1)
    #expect(try await log.head(of: "b").position == 1)
  }

  @Test func `A link into another partition refers to its object as soon as that is there`()
    async throws
  {
    let (one, two) = (Member(1, log), Member(2, log))
    try await two.join("a")
    let page = try one.add("p", in: "a")
    let other = try one.add("q", in: "b")
    page.next = other
    await one.replica.flush()
    try await two.eventually { two.titles == ["p"] }
    try await two.eventually { two.replica.state(of: "a").value == 2 }
    #expect(two.page("p")?.next == nil)
    try await two.join("b")
    #expect(two.page("p")?.next?.title == "b/q")
  }

  @Test func `Leaving a partition removes its objects here only`() async throws {
    let (one, two) = (Member(1, log), Member(2, log))
    try one.add("p", in: "a")
    try one.add("q", in: "b")
    await one.replica.flush()
    try await two.join("a")
    try await two.join("b")
    try two.replica.leave("a")
    #expect(two.titles == ["q"])
    #expect(one.titles == ["p", "q"])
    try await two.join("a")
    #expect(two.titles == ["p", "q"])
  }

  @Test func `A partition with pending commits isn't left unless they may be lost`() async throws {
    let gate = GatedLog(log)
    let one = Member(1, gate)
    try await one.join("a")
    gate.isOpen = false
    try one.add("p", in: "a")
    #expect(throws: ReplicaError.pendingChanges("a", count: 1)) { try one.replica.leave("a") }
    #expect(one.titles == ["p"])
    try one.replica.leave("a", discardingPending: true)
    #expect(one.titles == [])
    #expect(throws: ReplicaError.notJoined("a")) { try one.replica.leave("a") }
  }

  @Test func `Commits made without a connection are appended when there is one`() async throws {
    let gate = GatedLog(log)
    let (one, two) = (Member(1, gate), Member(2, log))
    try await one.join("a")
    try await two.join("a")
    gate.isOpen = false
    try one.add("p", in: "a")
    try two.add("q", in: "a")
    try await one.eventually { !one.replica.isOnline }
    #expect(one.titles == ["p"])
    #expect(one.replica.pendingCount == 1)
    gate.isOpen = true
    try await one.eventually { one.titles == ["p", "q"] && one.replica.pendingCount == 0 }
    try await two.eventually { two.titles == ["p", "q"] }
    #expect(one.replica.isOnline)
  }

  @Test func `A snapshot shows what its entries showed`() async throws {
    let (one, two) = (Member(1, log), Member(2, log))
    let page = try one.add("p", in: "a")
    let gone = try one.add("gone", in: "a")
    page.related = [page, gone]
    page.visits += 2
    page.cover = Part()
    page.cover?.text = "c"
    page.visits += 3
    try one.store.delete(gone)
    await one.replica.flush()
    #expect(try await one.replica.compact("a"))
    #expect(try await log.entries(of: "a", from: log.head(of: "a").position, limit: 9).isEmpty)
    try await two.join("a")
    #expect(two.visible == one.visible)
    page.visits += 1
    await one.replica.flush()
    try await two.eventually { two.visible == one.visible }
  }

  @Test func `A replica that is too old begins at the snapshot and keeps what is pending`()
    async throws
  {
    let gate = GatedLog(log)
    let (one, two) = (Member(1, log), Member(2, gate))
    let page = try one.add("p", in: "a")
    try one.add("gone", in: "a")
    await one.replica.flush()
    try await two.join("a")
    let same = try #require(two.page("p"))
    gate.isOpen = false
    try await two.eventually { !two.replica.isOnline }
    same.visits += 1
    try two.add("mine", in: "a")
    page.visits += 1
    try one.store.delete(try #require(one.page("gone")))
    await one.replica.flush()
    #expect(try await one.replica.compact("a"))
    gate.isOpen = true
    try await two.eventually { two.titles == ["mine", "p"] && two.replica.pendingCount == 0 }
    try await one.eventually { one.visible == two.visible }
    #expect(two.page("p") === same)
    #expect(same.visits == 2)
  }

  @Test func `A refused commit is taken back, with what depends on it, and the rest goes on`()
    async throws
  {
    let gate = GatedLog(log)
    let (one, two) = (Member(1, gate), Member(2, log))
    let page = try one.add("p", in: "a")
    await one.replica.flush()
    gate.refuses = { set in set.operations.contains { set.name(of: $0) == "size" } }
    gate.isOpen = false
    page.visits += 1
    try one.store.write {
      page.size = 9
      try one.add("refused", in: "a")
    }
    let refused = try #require(one.page("refused"))
    page.related = [refused]
    page.weight = 2
    var refusals: [RefusedCommit] = []
    let sink = one.replica.refusals.sink { refusals.append($0) }
    gate.isOpen = true
    try await one.eventually { refusals.count == 2 && one.replica.pendingCount == 0 }
    try await one.eventually { one.page("p")?.size == 0 }
    #expect(one.titles == ["p"])
    #expect(one.page("p") === page)
    #expect(page.visits == 1)
    #expect(page.weight == 2)
    #expect(page.related.isEmpty)
    #expect(refusals.map(\.isConsequence) == [false, true])
    #expect(refusals[0].reason == "no")
    #expect(refusals[1].changes.map(\.object) == [page.objectID])
    #expect(refusals[1].changes.map(\.property) == ["related"])
    try await two.join("a")
    #expect(two.visible == one.visible)
    withExtendedLifetime(sink) {}
  }

  @Test func `A released replica ends its tasks and releases the store`() async throws {
    weak var store: Store?
    do {
      let one = Member(1, log)
      try one.add("p", in: "a")
      await one.replica.flush()
      store = one.store
    }
    for _ in 0..<1000 where store != nil { await Task.yield() }
    #expect(store == nil)
  }
}
