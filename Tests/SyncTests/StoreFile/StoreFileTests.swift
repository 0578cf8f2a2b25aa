import Foundation
import Signals
import SignalsSync
import TestSupport
import Testing

@Suite("Stores in files")
struct StoreFileTests {
  @Test func `A durable write is in the file when it returns`() throws {
    let files = SimulatedFiles()
    let file = try open(files)
    try file.write { try file.store.add(Page()) }
    let found = try open(files.afterKill())
    #expect(found.store.contents == file.store.contents)
  }

  @Test func `A commit is in the file when the interval is over`() async throws {
    let files = SimulatedFiles()
    let file = try open(files, interval: .milliseconds(1))
    try file.store.add(Page())
    while true {
      let found = try open(files.afterKill())
      if found.store.contents == file.store.contents { return }
      await Task.yield()
    }
  }

  @Test func `The store is still saved after its file object is released`() async throws {
    let files = SimulatedFiles()
    var file: StoreFile? = try open(files, interval: .milliseconds(1))
    let store = try #require(file?.store)
    try store.add(Page())
    file = nil
    try store.add(Page())
    while true {
      let found = try open(files.afterKill())
      if found.store.contents == store.contents { return }
      await Task.yield()
    }
  }

  @Test func `Objects of another process can be listed before they are added`() async throws {
    let other = Store()
    var sent: [ChangeSet] = []
    let token = other.commits.sink { sent.append($0) }
    let (first, second) = (Page(), Page())
    try other.write {
      try other.add(first)
      try other.add(second)
    }
    token.cancel()
    let text = String(decoding: try JSONEncoder().encode(sent[0]), as: UTF8.self)
    let foreign = text.replacingOccurrences(of: "\(first.objectID.replica)", with: "77")
    let changes = try JSONDecoder().decode(ChangeSet.self, from: Data(foreign.utf8))

    let files = SimulatedFiles()
    let file = try open(files, smallestTail: 1)
    let page = Page()
    try file.store.add(page)
    try file.store.write {
      page.title = "changed first"
      _ = try file.store.apply(changes)
      for id in [first.objectID, second.objectID] {
        let foreign = ObjectID(replica: 77, counter: id.counter)
        page.related.append(try #require(file.store.object(foreign) as? Page))
      }
    }
    let contents = file.store.contents
    try await file.close()
    #expect(try open(files).store.contents == contents)
  }
}
