import Shell
package import Signals

/// The course driven line by line: an intent in, a frame out.
package final class Session {
  /// The frame on screen.
  package var text: String { renderer.text }
  private let renderer = TextRenderer()
  private let host: ViewHost
  private let work: RemoteWork

  /// Shows the course with a number, whenever there is one.
  package init(
    _ store: Store, _ work: RemoteWork, number: Int, isolation: isolated (any Actor)? = #isolation
  ) {
    self.work = work
    host = ViewHost(store, renderer: renderer, isolation: isolation) {
      CourseScreen(number: number)
    }
  }

  /// Does what a line asks for: what all screens know, or `work N`, which lets the office make so many changes.
  package func perform(_ line: String) async throws {
    let words = line.words
    if words.first == "work", words.count == 2, let count = Int(words[1]), count > 0 {
      try await work.make(count)
    } else if try await !host.perform(line: line) {
      throw LineError()
    }
  }
}

/// A line that asks for nothing known.
private struct LineError: Error, CustomStringConvertible {
  var description: String { "say work N, tap NAME, type NAME TEXT, undo or quit" }
}
