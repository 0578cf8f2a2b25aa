import Foundation
import Shell
import Signals
import SignalsTesting
import Testing

@MainActor
@Suite struct `A file that keeps a store` {
  private final class Note: Object {
    @Field var text = ""
  }

  private let folder = FileManager.default.temporaryDirectory.appending(path: "shell \(UUID())")

  private var file: URL { folder.appending(path: "notes.json") }

  /// The path as a person writes it.
  private var path: String { file.path(percentEncoded: false) }

  private func inFolder(_ body: () throws -> Void) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body()
  }

  /// The notes in the file.
  private func texts() throws -> [String] {
    try SnapshotFile.read(file).results(Note.self).map(\.text)
  }

  @Test func `each commit is kept, and what can't be is told in a line`() throws {
    try inFolder {
      let (store, clock) = (Store(), ManualClock())
      let kept = SnapshotFile(file, of: store, clock: clock)
      let note = Note()
      try store.add(note)
      #expect(try texts() == [""])
      note.text = "two"
      note.text = "three"
      clock.advance(by: .milliseconds(499))
      #expect(try texts() == [""])
      clock.advance(by: .milliseconds(1))
      #expect(try texts() == ["three"])
      note.text = "four"
      kept.write()
      #expect(try texts() == ["four"])
      #expect(kept.problem == nil)
      try FileManager.default.removeItem(at: folder)
      note.text = "five"
      clock.advance(by: .milliseconds(500))
      #expect(kept.problem == "can't write \(path): No such file or directory")
    }
  }

  @Test func `a file that is not there begins a new store, and one that is there goes on`() throws {
    try inFolder {
      let new = try SnapshotFile.store(file) { try $0.add(Note()) }
      #expect(new.results(Note.self).count == 1)
      try SnapshotFile.write(new, to: file)
      let again = try SnapshotFile.store(file) { _ in Issue.record("there is one") }
      #expect(again.results(Note.self).count == 1)
    }
  }

  @Test func `a file that is no snapshot, or can't be read, is told in a line`() throws {
    try inFolder {
      try Data("no snapshot".utf8).write(to: file)
      let malformed = #expect(throws: Failure.self) { try SnapshotFile.store(file) { _ in } }
      #expect(malformed?.status == 65)
      #expect(malformed?.message == "can't read \(path): The given data was not valid JSON.")
      let folder = URL(filePath: "/")
      let unreadable = #expect(throws: Failure.self) { try SnapshotFile.store(folder) { _ in } }
      #expect(unreadable?.status == 66)
      #expect(unreadable?.message == "can't read /: Is a directory")
    }
  }
}
