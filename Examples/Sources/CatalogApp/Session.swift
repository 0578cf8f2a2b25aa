package import Signals

/// A catalogue driven line by line: an intent in, a frame out.
package final class Session {
  /// What one line did.
  package struct Answer {
    /// The frame, or one line that begins with `error: `.
    package let text: String
    /// The bodies evaluated, the commits made and the time taken.
    package let statistics: Statistics
  }

  /// What an intent cost.
  package struct Statistics: CustomStringConvertible {
    /// How many bodies of views and rows were evaluated.
    package let bodies: Int
    /// How many commits were made.
    package let commits: Int
    /// From intent to frame.
    package let time: Duration

    /// What a message says of it.
    package var description: String {
      let (seconds, attoseconds) = time.components
      let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
      return "bodies: \(bodies)  commits: \(commits)  time: \(microseconds) us"
    }
  }

  /// What the first frame cost.
  package let start: Answer
  private let browser: Browser
  private let renderer: TextRenderer
  private let host: ViewHost
  private let counter: CommitCounter

  private final class CommitCounter {
    var count = 0
    var token: (any Cancellable)?
  }

  /// Shows a catalogue.
  package init(_ store: Store) {
    let browser = Browser(store)
    let renderer = TextRenderer()
    let clock = ContinuousClock()
    let begin = clock.now
    host = ViewHost(store, renderer: renderer) { CatalogScreen(browser) }
    start = Answer(
      text: renderer.text,
      statistics: Statistics(bodies: host.bodies, commits: 0, time: clock.now - begin))
    self.browser = browser
    self.renderer = renderer
    let counter = CommitCounter()
    counter.token = store.commits.sink { [unowned counter] _ in counter.count += 1 }
    self.counter = counter
  }

  /// Performs the intent of a line.
  package func perform(_ line: String) -> Answer {
    let clock = ContinuousClock()
    let bodies = host.bodies
    let commits = counter.count
    var refusal: String?
    let time = clock.measure {
      do {
        let intent = try Intent(parsing: line)
        try host.perform { try browser.perform(intent) }
      } catch {
        refusal = "error: \(error)"
      }
    }
    return Answer(
      text: refusal ?? renderer.text,
      statistics: Statistics(
        bodies: host.bodies - bodies, commits: counter.count - commits, time: time))
  }
}
