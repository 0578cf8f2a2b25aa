import Foundation
import Shell
import Signals
import Testing

@MainActor
@Suite struct `A store that an example keeps in a file` {
  private final class Note: Object {
    @Field var text = ""
  }

  private struct Refused: Error {}

  private let folder = FileManager.default.temporaryDirectory.appending(path: "shell \(UUID())")

  /// The path as a person writes it.
  private var path: String { folder.appending(path: "notes").path(percentEncoded: false) }

  private func inFolder(_ body: () async throws -> Void) async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body()
  }

  private func add(_ text: String) async throws {
    try await KeptStore.run(at: path) { kept in
      let note = Note()
      note.text = text
      try kept.store.add(note)
    }
  }

  /// The notes in the file.
  private func texts() async throws -> [String] {
    var texts: [String] = []
    try await KeptStore.run(at: path) { texts = $0.store.results(Note.self).map(\.text) }
    return texts
  }

  /// Why the file isn't opened.
  private func failure() async throws -> Failure? {
    await #expect(throws: Failure.self) { try await KeptStore.run(at: path) { _ in } }
  }

  @Test func `each run continues where the last one ended`() async throws {
    try await inFolder {
      try await add("one")
      try await add("two")
      #expect(try await texts() == ["one", "two"])
    }
  }

  @Test func `the commits of an app that fails are kept, and its error is the news`() async throws {
    try await inFolder {
      await #expect(throws: Refused.self) {
        try await KeptStore.run(at: path) { kept in
          try kept.store.add(Note())
          throw Refused()
        }
      }
      let texts = try await texts()
      #expect(texts == [""])
    }
  }

  @Test func `without a file the store is in memory`() async throws {
    try await KeptStore.run(at: nil) { kept in
      try kept.store.add(Note())
      try kept.flush()
      #expect(kept.problem == nil)
    }
  }

  @Test func `a file that can't be opened is told in a line, with a status`() async throws {
    try await inFolder {
      let line = "can't open \(path): "
      try Data("no store".utf8).write(to: URL(filePath: path))
      let text = try await failure()
      #expect(text?.status == 66)
      #expect(text?.message.hasPrefix(line) == true)
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "no store")

      try FileManager.default.removeItem(atPath: path)
      try await add("one")
      let log = URL(filePath: path).appending(path: "store.log")
      var bytes = try Data(contentsOf: log)
      bytes[bytes.count / 2] ^= 1
      try bytes.write(to: log)
      let damaged = try await failure()
      #expect(damaged?.status == 65)
      #expect(damaged?.message.hasPrefix(line) == true)
      #expect(try Data(contentsOf: log) == bytes)
    }
  }

  @Test func `a file that is open already is told, with a status`() async throws {
    try await inFolder {
      try await KeptStore.run(at: path) { _ in
        let second = try await failure()
        #expect(second?.status == 75)
        #expect(second?.message == "can't open \(path): the file at \(path) is open already")
      }
    }
  }
}
