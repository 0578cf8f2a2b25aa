import Signals
import TestSupport
import Testing

/// The changes of chosen classes, commit by commit.
@Suite struct `Graph, captured commits` {
  let log = CaptureLog([StockedDish.self, Writer.self, Novel.self])

  /// A store whose commits are captured, with a dish.
  private func makeStore(undoLimit: Int = 100) throws -> (store: Store, soup: StockedDish) {
    let (store, soup) = (Store(undoLimit: undoLimit), StockedDish("soup", stock: 2))
    try store.write(undoable: false) { try store.add(soup) }
    store.startCapture(log)
    return (store, soup)
  }

  /// Deletes an object, and returns the change set.
  private func deletion(of soup: StockedDish, in store: Store) throws -> ChangeSet {
    var deletion = ChangeSet()
    let token = store.commits.sink { deletion = $0 }
    try store.delete(soup)
    token.cancel()
    return deletion
  }

  @Test(arguments: [0, 100])
  func `a single write is a commit, with the old and the new value`(undoLimit: Int) throws {
    let (store, soup) = try makeStore(undoLimit: undoLimit)
    let id = soup.objectID
    soup.name = "broth"
    soup.stock -= 1
    soup.stock -= 0
    #expect(log.take() == [["\(id).name: soup -> broth"], ["\(id).stock: 2 -> 1"]])
    withExtendedLifetime(store) {}
  }

  @Test func `what observes a write doesn't change what is captured`() throws {
    let (store, soup) = try makeStore()
    let id = soup.objectID
    var seen: [Int] = []
    let effect = Effect { seen.append(soup.price) }
    let results = store.results(StockedDish.self).where { $0.price > 1 }
    let token = store.commits.sink { _ in }
    soup.price = 1
    soup.price = 2
    #expect(log.take() == [["\(id).price: 0 -> 1"], ["\(id).price: 1 -> 2"]])
    #expect(seen == [0, 1, 2] && results.count == 1)
    withExtendedLifetime((effect, token)) {}
  }

  @Test func `a transaction is one commit with its net changes`() throws {
    let (store, soup) = try makeStore()
    let id = soup.objectID
    let salad = StockedDish("salad")
    try store.write(origin: "kitchen") {
      soup.price = 5
      soup.name = "broth"
      soup.price = 6
      soup.isServed = true
      soup.isServed = false
      try store.add(salad)
      salad.stock = 3
      let gone = StockedDish("gone")
      try store.add(gone)
      try store.delete(gone)
    }
    let commit = try #require(log.take().first)
    #expect(Set(commit[0...1]) == ["\(id).price: 0 -> 6", "\(id).name: soup -> broth"])
    #expect(commit[2] == "+ \(salad.objectID)")
    #expect(commit.contains("  stock = 3") && commit.count == 13)
    #expect(log.origins == ["kitchen"])
  }

  @Test func `nothing is captured of what fails, or is written back`() throws {
    let (store, soup) = try makeStore()
    #expect(throws: Refusal.self) {
      try store.write {
        soup.price = 5
        throw Refusal()
      }
    }
    try store.write {
      soup.price = 5
      soup.price = 0
    }
    store.onRefusal = { _ in }
    let rule = store.beforeCommit { _ in throw Refusal() }
    soup.price = 7
    rule.cancel()
    #expect(log.take() == [])
  }

  @Test func `other classes aren't captured, nor what a commit changes of them`() throws {
    let (store, soup) = try makeStore()
    let page = Page()
    try store.add(page)
    page.number = 3
    try store.write {
      page.number = 4
      soup.price = 4
    }
    #expect(log.take() == [["\(soup.objectID).price: 0 -> 4"]])
    #expect(log.asked.filter { $0 != "Object" } == ["StockedDish", "Page"])
  }

  @Test func `links and lists have their old and new targets`() throws {
    let (store, soup) = try makeStore()
    let (a, b) = (StockedDish("a"), StockedDish("b"))
    try store.add([a, b])
    soup.side = a
    soup.parts = [a, b]
    soup.parts = [b, a]
    _ = log.take()
    soup.side = b
    soup.parts.remove(at: 0)
    let id = soup.objectID
    #expect(
      log.take() == [
        ["\(id).side: \(a.objectID) -> \(b.objectID)"],
        ["\(id).parts: [\(b.objectID), \(a.objectID)] -> [\(a.objectID)]"],
      ])
  }

  @Test func `a deletion has the links to the object`() throws {
    let (store, soup) = try makeStore()
    let side = StockedDish("side")
    try store.add(side)
    soup.side = side
    side.side = soup
    _ = log.take()
    try store.write {
      side.price = 9
      try store.delete(side)
    }
    let commit = try #require(log.take().first)
    #expect(
      Set(commit) == [
        "- \(side.objectID)", "\(soup.objectID).side: \(side.objectID)! -> nil",
      ])
  }

  @Test func `a deletion that follows from another is captured too`() throws {
    let store = Store()
    let log = CaptureLog([Novel.self, Page.self])
    store.startCapture(log)
    let novel = makeNovel(1)
    novel.cover = Page()
    let cover = try #require(novel.cover)
    try store.add(novel)
    _ = log.take()
    try store.delete(novel)
    let lines = log.take().joined().filter { !$0.hasPrefix("  ") }
    #expect(lines == ["- \(novel.objectID)", "- \(cover.objectID)"])
  }

  @Test func `undo and redo are captured as new commits`() throws {
    let (store, soup) = try makeStore()
    let id = soup.objectID
    soup.price = 5
    try store.undo()
    try store.redo()
    #expect(
      log.take() == [["\(id).price: 0 -> 5"], ["\(id).price: 5 -> 0"], ["\(id).price: 0 -> 5"]])
    #expect(log.origins == [nil, .undo, .redo])
    try store.delete(soup)
    try store.undo()
    #expect(log.take().map { $0[0] } == ["- \(id)", "+ \(id)"])
  }

  @Test func `a class that the store meets later is captured, until the capture ends`() throws {
    let (store, soup) = try makeStore()
    let writer = Writer()
    writer.name = "Jane"
    try store.add(writer)
    #expect(log.take() == [["+ \(writer.objectID)", "  name = Jane"]])
    store.stopCapture(log)
    writer.name = "J"
    soup.price = 8
    #expect(log.take() == [])
    store.startCapture(log)
    writer.name = "Jane"
    #expect(log.take() == [["\(writer.objectID).name: J -> Jane"]])
  }

  @Test func `an instance replaced by another is deleted first`() throws {
    let (store, soup) = try makeStore()
    let deletion = try deletion(of: soup, in: store)
    try store.apply(deletion.inverted(), undoable: false)
    _ = log.take()
    try store.write {
      try store.delete(try #require(store.object(soup.objectID)))
      try store.add(soup)
    }
    #expect(!soup.isDeleted)
    let lines = log.take().joined().filter { !$0.hasPrefix("  ") }
    #expect(lines == ["- \(soup.objectID)", "+ \(soup.objectID)"])
  }

  @Test func `an instance that is inserted again in the commit that deletes it stays`() throws {
    let (store, soup) = try makeStore()
    let deletion = try deletion(of: soup, in: store)
    try store.undo()
    _ = log.take()
    try store.write {
      try store.delete(soup)
      soup.name = "cold"
      try store.apply(deletion.inverted())
    }
    #expect(!soup.isDeleted && store.object(soup.objectID) === soup && soup.name == "soup")
    #expect(log.take() == [] && store.brokenInvariants() == [])
  }

  @Test func `an instance that a failed change set would have inserted keeps its values`() throws {
    let (store, soup) = try makeStore()
    let deletion = try deletion(of: soup, in: store)
    try store.undo()
    let other = StockedDish("other")
    try store.add(other)
    soup.name = "broth"
    try store.write {
      try store.delete(soup)
      let missing = ObjectChange(
        id: ObjectID(replica: 9, counter: 9), kind: .deleted, properties: [], type: StockedDish.self
      )
      let set = ChangeSet(deletion.inverted().changes + [missing], origin: nil)
      #expect(throws: ChangeConflictError.self) { try store.apply(set) }
    }
    #expect(soup.isDeleted && soup.name == "broth" && store.brokenInvariants() == [])
  }

  @Test func `a write of an effect is a commit of its own`() throws {
    let (store, soup) = try makeStore()
    let effect = Effect { if soup.name == "broth" { soup.price = 9 } }
    soup.name = "broth"
    let id = soup.objectID
    #expect(log.take() == [["\(id).name: soup -> broth"], ["\(id).price: 0 -> 9"]])
    withExtendedLifetime((store, effect)) {}
  }

  @Test(arguments: [true, false])
  func `a write while a commit is captured traps`(isSingle: Bool) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [isSingle = isSingle as Bool] in
      let (store, soup, log) = (Store(), StockedDish("soup"), CaptureLog([StockedDish.self]))
      try store.add(soup)
      store.startCapture(log)
      log.onChange = { soup.name += "!" }
      if isSingle { soup.price = 1 } else { try store.write { soup.price = 1 } }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("a store must not be written to while one of its transactions ends"))
  }

  @Test(arguments: [0, 100])
  func `each of several receivers is passed what it asks for, until it ends`(undoLimit: Int) throws
  {
    let (store, soup) = try makeStore(undoLimit: undoLimit)
    let (id, other) = (soup.objectID, CaptureLog([StockedDish.self, Page.self]))
    store.startCapture(other)
    soup.price = 1
    try store.add(Page())
    #expect(log.take() == [["\(id).price: 0 -> 1"]])
    #expect(other.take().map(\.count) == [1, 3])
    store.stopCapture(log)
    soup.price = 2
    try store.write { soup.price = 3 }
    #expect(log.take() == [])
    #expect(other.take() == [["\(id).price: 1 -> 2"], ["\(id).price: 2 -> 3"]])
    store.stopCapture(log)
    store.stopCapture(other)
    soup.price = 4
    #expect(other.take() == [])
  }

  @Test func `a capture can't begin inside a transaction`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let store = Store()
      try store.write { store.startCapture(CaptureLog([])) }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("a capture of commits can't begin or end inside a transaction"))
  }
}
