import Files
package import Foundation
import Shell
package import Signals
import SignalsReplay

/// A file with the intents of a session, which ``replay(_:)`` repeats.
package final class SessionLog {
  private let file: URL
  private let host: ViewHost
  private var saving: (any Cancellable)?

  /// Records the intents of a host from now on, in a new file.
  ///
  /// The file is written a second after the last commit, on a clock. The text of the search field
  /// settles by time, so it is recorded too.
  ///
  /// - Throws: ``Failure`` if the file exists or can't be written.
  package init<C: Clock>(
    _ file: URL, of host: ViewHost, _ service: Service, clock: C,
    isolation: isolated (any Actor)? = #isolation
  ) throws where C.Duration == Duration {
    (self.file, self.host) = (file, host)
    if FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) {
      throw Failure(
        status: 73, "\(file.path(percentEncoded: false)) exists; a log begins a new file")
    }
    host.record(service.search.$settled, as: SearchText.name)
    host.intentLog = IntentLog(start: host.store.snapshot())
    try write()
    saving = host.store.commits.debounce(for: .seconds(1), clock: clock)
      // The write at the end reports what went wrong.
      .sink { [unowned self] _ in try? write() }
  }

  /// Writes the intents so far.
  ///
  /// - Throws: ``Failure`` if they can't be written.
  package func write() throws {
    do {
      try FileProblem.writing(file) { try JSONEncoder().encode(host.intentLog) }
    } catch { throw Failure(status: 73, "\(error)") }
  }

  /// Repeats the intents of a file on the store that they began with.
  ///
  /// - Returns: A line that says how many there were.
  /// - Throws: ``Failure`` if the file isn't a log, or if an intent now has another result.
  @MainActor package static func replay(_ file: URL) throws -> String {
    let path = file.path(percentEncoded: false)
    let log: IntentLog
    do {
      log = try FileProblem.reading(file) { try JSONDecoder().decode(IntentLog.self, from: $0) }
    } catch let problem as FileProblem {
      throw Failure(status: problem.isMalformed ? 65 : 66, "\(problem)")
    }
    guard let start = log.start else {
      throw Failure(status: 65, "can't read \(path): the store at its start is missing")
    }
    let service = try SessionLog.service(of: start, path)
    let host = ViewHost(service.store, renderer: TextRenderer()) { KitchenTerminal(service) }
    host.record(service.search.$settled, as: SearchText.name)
    do {
      // Frames also show the bell, which no intent rings.
      try host.replay(log, comparingFrames: false) { entry in
        guard let intent = try? Intent.parse(entry.name) else { return false }
        try host.perform(named: entry.name) { try intent.perform(in: service) }
        return true
      }
    } catch let error as ReplayError {
      throw Failure(status: 1, "\(path): another result: \(error)")
    }
    return "\(path): \(log.entries.count) entries, the same result"
  }

  @MainActor private static func service(of start: Snapshot, _ path: String) throws -> Service {
    do { return try Service(Store(start), clock: ContinuousClock()) } catch {
      throw Failure(status: 65, "can't read \(path): \(error)")
    }
  }
}
