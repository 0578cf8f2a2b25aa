// What a session takes from its visitor, how much in a message, and how many of them; and how many rows
// it shows.

/// The limits of what an ``HTMLSession`` takes from a visitor, and of what it shows.
///
/// Each is a default that suits people who type and press. A session refuses what exceeds one of those
/// of messages, with an error that says so, before anything of it is used.
public struct HTMLLimits: Sendable, Equatable {
  /// The greatest length of a message of a page's script, in bytes.
  ///
  /// The script doesn't send a field whose text is longer, and says so beside the field.
  public let messageLength: Int
  /// The greatest length of a form, in bytes; it has the values of all fields of a page.
  public let formLength: Int
  /// The number of messages and forms that are used in a second, in the long run.
  public let messagesPerSecond: Int
  /// The number of messages and forms that are used at once, after a pause.
  public let burst: Int
  /// The greatest number of rows of a `ForEach` on a page, which has buttons that lead to the others.
  ///
  /// There should be more than a window shows. The browser's own search finds only those on the page.
  public let rows: Int

  /// The greatest length that can be chosen.
  private static let most = 1 << 30

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - messageLength: The greatest length of a message of a page's script, in bytes, from 1,000 to
  ///     1 GB.
  ///   - formLength: The greatest length of a form, in bytes, from that of a message to 1 GB.
  ///   - messagesPerSecond: The number of messages and forms that are used in a second, at least 1.
  ///   - burst: The number of them that are used at once, at least 1.
  ///   - rows: The greatest number of rows of a `ForEach` on a page, from 10 to 100,000.
  public init(
    messageLength: Int = 32_768, formLength: Int = 2_000_000, messagesPerSecond: Int = 30,
    burst: Int = 60, rows: Int = 100
  ) {
    self.messageLength = min(max(messageLength, 1000), HTMLLimits.most)
    self.formLength = min(max(formLength, self.messageLength), HTMLLimits.most)
    (self.messagesPerSecond, self.burst) = (max(messagesPerSecond, 1), max(burst, 1))
    self.rows = min(max(rows, 10), 100_000)
  }
}

/// The messages that may be used: a burst at most, and then so many a second.
struct MessageAllowance {
  private let interval: Duration
  private let burst: Int
  /// The time at which a whole burst may be used again; nil before the first message.
  private var whole: ContinuousClock.Instant?

  init(_ limits: HTMLLimits) {
    interval = .seconds(1) / limits.messagesPerSecond
    burst = limits.burst
  }

  /// Takes a message.
  ///
  /// - Throws: ``HTMLFormError/tooMany(wait:)`` if it has to wait. Then none is taken.
  mutating func take(at now: ContinuousClock.Instant) throws(HTMLFormError) {
    let start = max(whole ?? now, now)
    let wait = now.duration(to: start) - interval * (burst - 1)
    if wait > .zero { throw .tooMany(wait: wait) }
    whole = start + interval
  }
}
