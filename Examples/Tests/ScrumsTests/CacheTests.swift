import Foundation
import ScrumsApp
import ScrumsModel
import Signals
import SignalsTesting
import Testing

/// What the service said last, kept in a file: what if it can't be.
@Suite(.leavesNothing) struct `Scrums from a service, and a cache that can't be written` {
  private let directory = FileManager.default.temporaryDirectory.appending(path: "scrums-\(UUID())")

  private func status(_ cache: URL, _ reason: String) -> String {
    let path = cache.path(percentEncoded: false)
    return "Daily scrums: 3\nNot kept for offline: can't write \(path): \(reason)\n"
  }

  @Test(arguments: Style.allCases)
  func `what was fetched counts, the failure is a line, and the next time it is kept`(
    _ style: Style
  ) async throws {
    let cache = directory.appending(path: "c.json")
    defer { try? FileManager.default.removeItem(at: directory) }
    try await SteppingActor.run { stage in
      let service = ScriptedService([.samples { $0[0].title = "Design 2" }])
      let mounted = try Mounted(style, nil, service, cache: cache)
      try await mounted.app.tapAsync("refresh")
      #expect(mounted.app.text.hasPrefix(status(cache, "No such file or directory")))
      #expect(mounted.app.text.contains("[Design 2]"))
      #expect((service.calls, mounted.clock.waiting) == (1, 0))
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      try await mounted.app.tapAsync("refresh")
      #expect(mounted.app.text.hasPrefix("Daily scrums: 3\n[App Dev]"))
      let kept = try JSONDecoder().decode([ScrumRecord].self, from: Data(contentsOf: cache))
      #expect(kept[0].title == "Design 2")
    }
  }

  @Test(arguments: Style.allCases)
  func `an old cache that can't be written again is not the answer`(_ style: Style) async throws {
    let file = directory.appendingPathExtension("json")
    defer { try? FileManager.default.removeItem(at: file) }
    var old = Scrums.samples().map(ScrumRecord.init)
    old[0].title = "Design 1"
    try JSONEncoder().encode(old).write(to: file)
    let open = try FileHandle(forReadingFrom: file)
    defer { try? open.close() }
    // Here it can be read, and nobody, not even root, can put another in its place.
    let cache = URL(filePath: "/proc/self/fd/\(open.fileDescriptor)")
    try await SteppingActor.run { stage in
      let service = ScriptedService([.samples { $0[0].title = "Design 2" }])
      let mounted = try Mounted(style, nil, service, cache: cache)
      try await mounted.app.tapAsync("refresh")
      #expect(mounted.app.text.hasPrefix(status(cache, "No such file or directory")))
      #expect(mounted.app.text.contains("[Design 2]"))
    }
  }
}
