import Signals
import SignalsSync
import TestSupport
import Testing

/// The rest of the library with a store that was read from a file.
@Suite("Use of stores in files")
struct StoreFileUseTests {
  @Test func `A draft's changes are in the file when they are committed, and not before`() throws {
    let files = SimulatedFiles()
    let page = Page()
    page.title = "a"
    let first = try open(files)
    try first.write { try first.store.add(page) }
    let later = files.afterKill()
    let file = try open(later)
    let draft = file.store.draft(of: try #require(file.store.objectsInOrder.first as? Page))
    draft.title = "b"
    draft.object.cover = Part()
    try file.blockingFlush()
    #expect(try open(later.afterKill()).store.contents == first.store.contents)
    try draft.commit()
    try file.blockingFlush()
    let again = try open(later.afterKill())
    #expect(again.store.contents == file.store.contents && again.store.contents.count == 2)
  }

  @Test func `Live results have the objects of the file, and follow them`() throws {
    let files = SimulatedFiles()
    let first = try open(files)
    try first.write {
      for number in 0..<5 {
        let page = Page()
        page.size = number
        try first.store.add(page)
      }
    }
    let file = try open(files.afterKill())
    let large = file.store.results(Page.self).where { $0.size > 2 }
    #expect(large.map(\.size).sorted() == [3, 4])
    file.store.objectsInOrder.compactMap { $0 as? Page }.first?.size = 9
    #expect(large.map(\.size).sorted() == [3, 4, 9])
  }

  @Test func `Restored state is what it was`() throws {
    let files = SimulatedFiles()
    let file = try open(files)
    let selection = Restored(wrappedValue: 1, "selection", in: file.store)
    selection.wrappedValue = 5
    try file.blockingFlush()
    let found = try open(files.afterKill())
    #expect(Restored(wrappedValue: 1, "selection", in: found.store).wrappedValue == 5)
  }

  @Test func `What a change set brings is in the file, and what another capture leaves out`() throws
  {
    final class Other: CommitCapture {
      func capture(of schema: Schema) -> (any ClassCapture)? { nil }
      func didCommit(origin: Origin?) {}
    }
    let (files, source) = (SimulatedFiles(), Store())
    let file = try open(files)
    file.store.startCapture(Other())
    var changes = ChangeSet()
    let token = source.commits.sink { changes = $0 }
    let (page, note) = (Page(), Note())
    try source.write { try source.add([page, note]) }
    try file.store.apply(changes)
    try source.write {
      page.title = "changed"
      try source.add(Page())
      try source.delete(note)
    }
    token.cancel()
    try file.store.apply(changes)
    try file.blockingFlush()
    #expect(try open(files.afterKill()).store.contents == file.store.contents)
    #expect(file.store.contents == source.contents && source.contents.count == 2)
  }

  @Test func `A hundred thousand objects can be one commit`() throws {
    let files = SimulatedFiles()
    let file = try open(files)
    try file.write {
      for number in 0..<100_000 {
        let note = Note()
        note.text = "\(number)"
        try file.store.add(note)
      }
    }
    let found = try open(files.afterKill()).store.objectsInOrder
    #expect(found.count == 100_000)
    try file.write {
      for object in file.store.objectsInOrder.dropFirst() { try file.store.delete(object) }
    }
    #expect(try open(files.afterKill()).store.contents == file.store.contents)
  }
}
