import Foundation
import Signals
import SignalsSync
import Testing

@Suite("Directories of stores")
struct StoreFileDirectoryTests {
  private func open(_ files: SimulatedFiles) throws(StoreFileError) -> StoreFile {
    try StoreFile(at: "/store", interval: .seconds(3600), smallestTail: 300, files: files)
  }

  @Test func `Files of others in the directory stay as they are`() async throws {
    let files = SimulatedFiles()
    let names = ["/store/notes.txt", "/store/draft.new", "/store/app.log.new"]
    for name in names { files.put(Array(name.utf8), at: name) }
    let file = try open(files)
    try file.write { for _ in 0..<20 { try file.store.add(Page()) } }
    try await file.close()
    #expect(try open(files).store.objectsInOrder.count == 20)
    for name in names { #expect(files.edit(name) { $0 } == Array(name.utf8)) }
  }

  @Test(arguments: ["store.log", "store.snapshot"])
  func `A file of others that has the name of one that is being made is refused, and stays`(
    name: String
  ) throws {
    let files = SimulatedFiles()
    files.put(Array("mine".utf8), at: "/store/\(name).new")
    let error = #expect(throws: StoreFileError.self) { try open(files) }
    #expect(error?.description.contains("\(name).new") == true)
    #expect(files.edit("/store/\(name).new") { $0 } == Array("mine".utf8))
  }

  @Test func `A directory that is moved stays that of its store`() async throws {
    try await LogKind.withDirectory { path in
      let moved = path + "-moved"
      defer { try? FileManager.default.removeItem(atPath: moved) }
      let file = try StoreFile(
        at: path, interval: .milliseconds(1), smallestTail: 300, files: POSIXFileSystem())
      try file.write { try file.store.add(Page()) }
      try FileManager.default.moveItem(atPath: path, toPath: moved)
      // A directory created in its place belongs to another store.
      let other = try StoreFile(at: path)
      for _ in 0..<100 { try file.write { try file.store.add(Page()) } }
      try await file.close()
      try await other.close()
      let names = try FileManager.default.contentsOfDirectory(atPath: moved)
      #expect(names.sorted() == ["store.log", "store.snapshot"])
      #expect(try StoreFile(at: moved).store.contents == file.store.contents)
      #expect(try StoreFile(at: path).store.contents == [])
    }
  }

  @Test func `A checkpoint and entries of different stores aren't joined`() async throws {
    let one = SimulatedFiles()
    let other = SimulatedFiles()
    for (number, files) in [one, other].enumerated() {
      let log = try FileLog(at: "/store", durability: .each, files: files)
      try await log.append([[UInt8(number)], [2]], to: "store")
      let head = LogHead.start.after([UInt8(number)])
      try await log.storeSnapshot(LogSnapshot(head: head, bytes: [1]), of: "store")
      try await log.close()
    }
    let bytes = other.edit("/store/store.snapshot") { $0 }
    one.edit("/store/store.snapshot") { $0 = bytes }
    let error = #expect(throws: StoreFileError.self) { try open(one) }
    guard case .mixedFiles("/store")? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(arguments: ["store.log", "store.snapshot"])
  func `What a crash left of a file that was being made is removed`(name: String) throws {
    let files = SimulatedFiles()
    let file = try open(files)
    try file.write { try file.store.add(Page()) }
    let later = files.afterKill()
    later.put([0, 0, 0, 0, 7], at: "/store/\(name).new")
    #expect(try open(later).store.objectsInOrder.count == 1)
    #expect(!later.names(at: "/store").contains("\(name).new"))
  }
}
