// What the operator of a site sees: counts and gauges for a monitor, and a log.

import Logging
import Metrics
import SignalsHTML
import Synchronization

/// Why a request was refused.
enum Refusal: String, Sendable {
  case malformed, foreign, tooLong, tooMany, origin, unknownPage

  init(_ error: HTMLFormError) {
    switch error {
    case .malformed: self = .malformed
    case .foreign: self = .foreign
    case .tooLong: self = .tooLong
    case .tooMany: self = .tooMany
    }
  }
}

/// Why a visitor was forgotten.
enum Farewell: String, Sendable {
  case idle, limit
}

/// The counts, gauges and log of a site.
///
/// Nothing that a visitor has sent is among them.
struct SiteMeters: Sendable {
  let logger: Logger
  private let apps: Set<String>
  private let factory: any MetricsFactory
  private let patches: Counter
  private let patchBytes: Recorder
  private let messages: Counter
  private let visitors: Gauge
  private let connections: Gauge
  private let state = State()

  private final class State: Sendable {
    /// The number of pages that are connected.
    let connected = Mutex(0)
    /// When refusals were logged last, and how many weren't since.
    let logged = Mutex<[Refusal: (time: ContinuousClock.Instant, others: Int)]>([:])
  }

  init(logger: Logger, factory: any MetricsFactory, apps: [String]) {
    (self.logger, self.factory, self.apps) = (logger, factory, Set(apps))
    patches = Counter(label: "signals_patches", factory: factory)
    patchBytes = Recorder(label: "signals_patch_bytes", factory: factory)
    messages = Counter(label: "signals_messages", factory: factory)
    visitors = Gauge(label: "signals_visitors", factory: factory)
    connections = Gauge(label: "signals_connections", factory: factory)
  }

  /// Counts a patch that was sent.
  func send(_ patch: PagePatch) {
    patches.increment()
    patchBytes.record(patch.bytes.count)
  }

  /// Counts a message or a form that was accepted.
  func receive() { messages.increment() }

  /// Counts a request that was refused, and logs one a second for each reason.
  ///
  /// - Parameters:
  ///   - reason: The reason.
  ///   - app: The app as the request has it; it isn't logged if it isn't one.
  func refuse(_ reason: Refusal, by app: String) {
    Counter(
      label: "signals_refused", dimensions: [("reason", reason.rawValue)], factory: factory
    ).increment()
    let now = ContinuousClock.now
    let others: Int? = state.logged.withLock { logged in
      if let last = logged[reason], now - last.time < .seconds(1) {
        logged[reason]?.others += 1
        return nil
      }
      defer { logged[reason] = (now, 0) }
      return logged[reason]?.others ?? 0
    }
    guard let others else { return }
    // A page that is unknown after a restart is as usual.
    logger.log(
      level: reason == .unknownPage ? .debug : .notice, "refused a request",
      metadata: [
        "reason": "\(reason)", "app": "\(apps.contains(app) ? app : "")", "others": "\(others)",
      ])
  }

  /// Counts a visitor whose sessions were released.
  func forget(_ reason: Farewell) {
    Counter(
      label: "signals_forgotten", dimensions: [("reason", reason.rawValue)], factory: factory
    ).increment()
  }

  func show(visitors count: Int) { visitors.record(count) }

  /// Counts a page that is connected, or is no longer.
  func connect(_ change: Int) {
    // The gauge shows the last count, whichever thread has it.
    state.connected.withLock {
      $0 += change
      connections.record($0)
    }
  }
}
