import Signals
import TestSupport
import Testing

/// Commits of merges: they aren't captured, and undo leaves what they wrote.
@Suite struct `Graph, uncaptured commits` {
  let store = Store()
  let log = CaptureLog([StockedDish.self, Page.self])
  let soup = StockedDish("soup", stock: 2)

  init() throws {
    try store.write(undoable: false) { try store.add(soup) }
    store.startCapture(log)
  }

  /// Runs writes as a merge does.
  private func merge(_ body: () throws -> Void) throws {
    try store.writeUncaptured(origin: "merge", body)
  }

  @Test func `a merge is one commit with its origin, which isn't captured`() throws {
    var commits: [ChangeSet] = []
    let token = store.commits.sink { commits.append($0) }
    try merge {
      soup.price = 4
      soup.name = "broth"
      try store.add(Page())
    }
    #expect(commits.map(\.origin) == ["merge"] && commits[0].changes.count == 2)
    #expect(log.take() == [])
    soup.price = 5
    #expect(log.take() == [["\(soup.objectID).price: 4 -> 5"]])
    token.cancel()
  }

  @Test func `the writes of rules in a merge are captured, from the value that it left`() throws {
    store.beforeCommit { [soup] changes in
      if let price = changes[soup]?.new(\.price), price > 9 { soup.price = 9 }
      if soup.name == "broth" { soup.name = "soup" }
    }
    try merge {
      soup.price = 20
      soup.name = "broth"
    }
    let id = soup.objectID
    #expect(
      Set(log.take().joined()) == ["\(id).price: 20 -> 9", "\(id).name: broth -> soup"])
    #expect(soup.price == 9)
  }

  @Test func `an effect that a merge sets off is captured`() throws {
    let effect = Effect { [soup] in if soup.price > 9 { soup.name = "dear" } }
    try merge { soup.price = 20 }
    #expect(log.take() == [["\(soup.objectID).name: soup -> dear"]])
    effect.cancel()
  }

  @Test func `an object that a rule deletes after a merge inserted it is captured as deleted`()
    throws
  {
    let page = Page()
    store.beforeCommit { [unowned store, page] changes in
      if changes[page] != nil { try store.delete(page) }
    }
    try merge { try store.add(page) }
    #expect(log.take().map { $0[0] } == ["- \(page.objectID)"])
  }

  @Test func `a merge that fails changes and captures nothing, and the next commit is captured`()
    throws
  {
    #expect(throws: Refusal.self) {
      try merge {
        soup.price = 20
        throw Refusal()
      }
    }
    let rule = store.beforeCommit { _ in throw Refusal() }
    #expect(throws: Refusal.self) { try merge { soup.price = 20 } }
    rule.cancel()
    #expect(throws: Refusal.self) {
      try store.write {
        try merge { soup.price = 20 }
        throw Refusal()
      }
    }
    try store.write {
      #expect(throws: Refusal.self) {
        try store.write {
          try merge { soup.price = 20 }
          throw Refusal()
        }
      }
      soup.price = 1
    }
    #expect(log.take() == [["\(soup.objectID).price: 0 -> 1"]])
  }

  @Test func `a merge after other writes of its transaction traps`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let (store, soup) = (Store(), StockedDish("soup"))
      try store.add(soup)
      try store.write {
        soup.price = 1
        try store.writeUncaptured(origin: "merge") { soup.price = 2 }
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("a merge must be the first write of its transaction"))
  }

  // MARK: - Undo

  @Test func `undo leaves each value that a merge has overwritten, and names it`() throws {
    try store.write {
      soup.price = 4
      soup.name = "broth"
      soup.stock -= 1
    }
    try merge {
      soup.name = "bouillon"
      soup.stock += 5
    }
    #expect(throws: ChangeConflictError.self) { try store.undo() }
    let report = try store.undo(onConflict: .theirs)
    #expect(report.conflicts.map(\.subject.property) == ["name"])
    #expect(report.conflicts.map(\.reason) == [.changed])
    #expect(soup.price == 0 && soup.name == "bouillon" && soup.stock == 7)
  }

  @Test func `that holds for every step below, and for redo`() throws {
    soup.name = "one"
    soup.price = 1
    soup.name = "two"
    try merge { soup.name = "theirs" }
    #expect(try store.undo(onConflict: .theirs).conflicts.map(\.subject.property) == ["name"])
    #expect(try store.undo(onConflict: .theirs).isClean)
    #expect(try store.undo(onConflict: .theirs).conflicts.map(\.subject.property) == ["name"])
    #expect(soup.name == "theirs" && soup.price == 0)
    for _ in 0..<3 { try store.redo(onConflict: .theirs) }
    #expect(soup.name == "theirs" && soup.price == 1)
  }

  @Test func `a value that was written again after a merge can be taken back`() throws {
    soup.name = "one"
    try merge { soup.name = "theirs" }
    soup.name = "two"
    #expect(try store.undo().isClean)
    #expect(soup.name == "theirs")
    #expect(try store.undo(onConflict: .theirs).conflicts.count == 1)
    #expect(soup.name == "theirs")
  }

  @Test func `undo takes its members out of a list, and leaves those of a merge`() throws {
    let (mine, theirs) = (StockedDish("mine"), StockedDish("theirs"))
    soup.parts.append(mine)
    try merge { soup.parts.append(theirs) }
    #expect(try store.undo().isClean)
    #expect(Array(soup.parts) == [theirs] && mine.isDeleted)
  }

  @Test func `undo of a write to an object that a merge has deleted names the object`() throws {
    soup.price = 4
    try merge { try store.delete(soup) }
    let report = try store.undo(onConflict: .theirs)
    #expect(report.conflicts.map(\.reason) == [.missing] && soup.isDeleted)
  }
}
