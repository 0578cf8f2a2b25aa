import Signals
import TestSupport
import Testing

/// Merges: their author isn't passed them, other receivers are, and undo leaves what they wrote.
@Suite struct `Graph, captured merges` {
  let store = Store()
  let author = CaptureLog([StockedDish.self, Page.self])
  let log = CaptureLog([StockedDish.self, Page.self])
  let soup = StockedDish("soup", stock: 2)

  init() throws {
    try store.write(undoable: false) { try store.add(soup) }
    store.startCapture(author)
  }

  private func property(_ name: String) throws -> Property {
    try #require(Schema(of: StockedDish.self).properties.first { $0.name == name })
  }

  private func merge(_ body: (StoreMerge) -> Void) throws {
    _ = try store.merge(origin: "merge", by: author, body)
  }

  private func mergeName(_ name: String) throws {
    let property = try property("name")
    try merge { $0.write(name, to: property, of: soup) }
  }

  @Test func `a merge is one commit with its origin, which its author isn't passed`() throws {
    var commits: [ChangeSet] = []
    let token = store.commits.sink { commits.append($0) }
    let (name, price) = (try property("name"), try property("price"))
    try merge { merge in
      merge.write(4, to: price, of: soup)
      merge.write("broth", to: name, of: soup)
      merge.insert(Page())
    }
    #expect(commits.map(\.origin) == ["merge"] && commits[0].changes.count == 2)
    #expect(author.take() == [])
    soup.price = 5
    #expect(author.take() == [["\(soup.objectID).price: 4 -> 5"]])
    token.cancel()
  }

  @Test(arguments: [true, false])
  func `another receiver is passed a merge, whether or not anything else observes the store`(
    isObserved: Bool
  ) throws {
    let token = isObserved ? store.commits.sink { _ in } : nil
    store.startCapture(log)
    let page = Page()
    try mergeName("broth")
    try merge { $0.insert(page) }
    try merge { $0.remove([page]) }
    #expect(author.take() == [])
    let lines = log.take().map { $0[0] }
    #expect(
      lines == [
        "\(soup.objectID).name: soup -> broth", "+ \(page.objectID)", "- \(page.objectID)",
      ])
    #expect(log.origins == ["merge", "merge", "merge"])
    token?.cancel()
  }

  @Test func `what has no author is passed to all`() throws {
    store.startCapture(log)
    let name = try property("name")
    _ = try store.merge(by: nil) { $0.write("broth", to: name, of: soup) }
    #expect(author.take() == log.take() && author.origins.count == 1)
  }

  @Test func `an effect that a merge sets off is captured`() throws {
    let effect = Effect { [soup] in if soup.name == "broth" { soup.price = 9 } }
    try mergeName("broth")
    #expect(author.take() == [["\(soup.objectID).price: 0 -> 9"]])
    effect.cancel()
  }

  // MARK: - Undo

  @Test func `undo leaves each value that a merge has overwritten, and names it`() throws {
    try store.write {
      soup.price = 4
      soup.name = "broth"
      soup.stock -= 1
    }
    let (name, stock) = (try property("name"), try property("stock"))
    try merge { merge in
      merge.write("bouillon", to: name, of: soup)
      merge.write(6, to: stock, of: soup)
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
    try mergeName("theirs")
    #expect(try store.undo(onConflict: .theirs).conflicts.map(\.subject.property) == ["name"])
    #expect(try store.undo(onConflict: .theirs).isClean)
    #expect(try store.undo(onConflict: .theirs).conflicts.map(\.subject.property) == ["name"])
    #expect(soup.name == "theirs" && soup.price == 0)
    for _ in 0..<3 { try store.redo(onConflict: .theirs) }
    #expect(soup.name == "theirs" && soup.price == 1)
  }

  @Test func `a value that was written again after a merge can be taken back`() throws {
    soup.name = "one"
    try mergeName("theirs")
    soup.name = "two"
    #expect(try store.undo().isClean)
    #expect(soup.name == "theirs")
    #expect(try store.undo(onConflict: .theirs).conflicts.count == 1)
    #expect(soup.name == "theirs")
  }

  @Test func `undo takes its members out of a list, and leaves those of a merge`() throws {
    let (mine, theirs) = (StockedDish("mine"), StockedDish("theirs"))
    soup.parts.append(mine)
    let parts = try property("parts")
    try merge { merge in
      merge.insert(theirs)
      merge.setTargets([mine, theirs], of: parts, in: soup)
    }
    #expect(try store.undo().isClean)
    #expect(Array(soup.parts) == [theirs] && mine.isDeleted)
  }

  @Test func `undo of a write to an object that a merge has deleted names the object`() throws {
    soup.price = 4
    try merge { $0.remove([soup]) }
    let report = try store.undo(onConflict: .theirs)
    #expect(report.conflicts.map(\.reason) == [.missing] && soup.isDeleted)
  }
}
