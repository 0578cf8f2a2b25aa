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
  private let factory: any MetricsFactory
  private let patches: Counter
  private let patchBytes: Recorder
  private let messages: Counter
  private let visitors: Gauge
  private let connections: Gauge
  private let connected = Connected()

  /// The number of pages that are connected.
  private final class Connected: Sendable {
    let count = Atomic(0)
  }

  init(logger: Logger, factory: any MetricsFactory) {
    (self.logger, self.factory) = (logger, factory)
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

  /// Counts a message or a form that was used.
  func receive() { messages.increment() }

  /// Counts a request that was refused.
  ///
  /// - Parameters:
  ///   - reason: The reason.
  ///   - place: The app, or the path.
  func refuse(_ reason: Refusal, by place: String) {
    Counter(
      label: "signals_refused", dimensions: [("reason", reason.rawValue)], factory: factory
    ).increment()
    // A page that is unknown after a restart is as usual.
    logger.log(
      level: reason == .unknownPage ? .debug : .notice, "refused a request",
      metadata: ["reason": "\(reason)", "place": "\(place)"])
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
    connections.record(connected.count.wrappingAdd(change, ordering: .relaxed).newValue)
  }
}
