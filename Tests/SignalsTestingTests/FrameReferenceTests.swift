import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

/// Frames beside those that were stored.
@Suite struct `Stored frames` {
  private func folder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  @Test func `the first frame is stored, and fails; then it is compared`() throws {
    try folder { folder in
      let text = Signal("one\ntwo\n"), test = folder.appending(path: "Tests.swift").path
      let app = try TestHost(Store()) { Text(text.value) }
      let check = { (isRecording: Bool) in
        try issues {
          try app.expectFrame("start", as: .text, isRecording: isRecording, filePath: test)
        }
      }
      #expect(
        try check(false) == [
          "there was no __Frames__/start.txt: the frame is stored now, and compared next time"
        ])
      let file = folder.appending(path: "__Frames__/start.txt")
      #expect(try String(contentsOf: file, encoding: .utf8) == "one\ntwo\n\n")
      #expect(try check(false) == [])
      #expect(try check(true) == [])
      text.value = "one\n2\n"
      #expect(
        try check(false) == [
          """
          the frame is not that of __Frames__/start.txt (-: stored, +: on screen):
            one
          - two
          + 2
          """
        ])
      #expect(
        try check(true) == [
          """
          __Frames__/start.txt was stored again (-: before, +: now):
            one
          - two
          + 2
          """
        ])
      #expect(try check(false) == [])
    }
  }

  @Test func `how lines end in the file is of no account`() throws {
    try folder { folder in
      let test = folder.appending(path: "Tests.swift").path
      let app = try TestHost(Store()) { ForEach(["one", "two"], id: \.self) { Text($0) } }
      let frames = folder.appending(path: "__Frames__")
      try FileManager.default.createDirectory(at: frames, withIntermediateDirectories: true)
      let contents = ["one\ntwo", "one\r\ntwo\r\n", "one\ntwo\n\n"]
      for (number, content) in contents.enumerated() {
        try Data(content.utf8).write(to: frames.appending(path: "\(number).txt"))
        try app.expectFrame("\(number)", as: .text, isRecording: false, filePath: test)
      }
    }
  }

  @Test func `what is stored is the tree, unless the text is asked for`() throws {
    try folder { folder in
      let isOff = Signal(false), test = folder.appending(path: "Tests.swift").path
      let app = try TestHost(Store()) { Button("Save", id: "save") {}.disabled(isOff.value) }
      let check = {
        try issues { try app.expectFrame("save", isRecording: false, filePath: test) }
      }
      _ = try check()
      #expect(try check() == [])
      isOff.value = true
      #expect(
        try check() == [
          """
          the frame is not that of __Frames__/save.txt (-: stored, +: on screen):
          - button #save "Save"
          + button #save "Save" (disabled)
          """
        ])
    }
  }
}
