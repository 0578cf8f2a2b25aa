import Files
package import Foundation
package import Signals

/// Asks a service, again if it fails, and falls back on what it said the last time.
package final class Connection {
  /// Whether the last answer was of an earlier time.
  @Signal package private(set) var isOffline = false
  /// Why the last answer is not in the cache, in a line; the next one is put there anew.
  @Signal package private(set) var cacheProblem: String? = nil
  private let answer: (isolated (any Actor)?) async throws -> [ScrumRecord]
  private let cache: URL?

  /// An attempt that the service did not answer in time.
  package struct NoAnswer: Error, Equatable {
    /// The time that was waited.
    package let time: Duration
  }

  /// How long an attempt may take.
  private static let patience = Duration.seconds(10)

  /// Connects with a service; `cache` is the file that keeps its last answer.
  ///
  /// An attempt may take ten seconds. Between two of them it waits: a second, then two, then four.
  package init<C: Clock>(
    _ service: any ScrumService, cache: URL? = nil, attempts: Int = 3,
    clock: C = ContinuousClock()
  ) where C.Duration == Duration {
    self.cache = cache
    answer = { isolation in
      try await Connection.answer(
        of: service, attempts: attempts, clock: clock, isolation: isolation)
    }
  }

  /// The records of the service, or of the last time if it can't be reached.
  package func records() async throws -> [ScrumRecord] {
    let records: [ScrumRecord]
    do { records = try await answer(#isolation) } catch {
      // Who does not want an answer any more gets none.
      guard !Task.isCancelled, let last = lastAnswer else { throw error }
      isOffline = true
      return last
    }
    isOffline = false
    keep(records)
    return records
  }

  /// An answer that can't be kept is an answer all the same.
  private func keep(_ records: [ScrumRecord]) {
    guard let cache else { return }
    do {
      try FileProblem.writing(cache) { try JSONEncoder().encode(records) }
      cacheProblem = nil
    } catch {
      cacheProblem = "\(error)"
    }
  }

  private static func answer<C: Clock>(
    of service: any ScrumService, attempts: Int, clock: C, isolation: isolated (any Actor)?
  ) async throws -> [ScrumRecord] where C.Duration == Duration {
    let answers = Future { try await service.scrums() }
      .timeout(patience, clock: clock) { NoAnswer(time: patience) }
      .retry(attempts - 1, clock: clock) { .seconds(1 << ($0 - 1)) }
      .values(buffering: .unbounded)
    for try await records in answers { return records }
    throw CancellationError()
  }

  private var lastAnswer: [ScrumRecord]? {
    guard let cache, let data = try? Data(contentsOf: cache) else { return nil }
    return try? JSONDecoder().decode([ScrumRecord].self, from: data)
  }
}
