internal import Signals

/// A time of a ``HybridClock``: milliseconds since 1970 and a counter within them.
///
/// Times follow causality: a change made with knowledge of another has a later time.
/// They are also near the wall clock's time, but nothing depends on that.
package struct HybridTime: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
  /// The milliseconds in the upper 48 bits and the counter in the lower 16.
  package let rawValue: UInt64

  /// Creates a time from its bits.
  package init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Creates a time from its parts.
  ///
  /// - Parameters:
  ///   - milliseconds: The milliseconds since 1970, below 2^48, which is in the year 10889.
  ///   - counter: The number of the time within its millisecond.
  package init(milliseconds: UInt64, counter: UInt16 = 0) {
    if milliseconds >> 48 != 0 { trap("\(milliseconds) ms: a hybrid time has 48 bits of them") }
    rawValue = milliseconds << 16 | UInt64(counter)
  }

  /// The earliest time, which no change has.
  package static let zero = HybridTime(rawValue: 0)

  /// The latest time that a change can have, in the year 6429.
  ///
  /// It is far from the last that can be represented: no change can stop the clocks of its readers.
  package static let latest = HybridTime(rawValue: .max >> 1)

  /// The milliseconds since 1970.
  package var milliseconds: UInt64 { rawValue >> 16 }

  /// The number of the time within its millisecond.
  package var counter: UInt16 { UInt16(truncatingIfNeeded: rawValue) }

  /// Orders times by milliseconds, then by counter.
  package static func < (lhs: HybridTime, rhs: HybridTime) -> Bool { lhs.rawValue < rhs.rawValue }

  /// The milliseconds and the counter, such as `1700000000000+3`.
  package var description: String { "\(milliseconds)+\(counter)" }
}

/// When and by which replica a value was written; of two writes, that with the later stamp wins.
///
/// Stamps are totally ordered, by time and then by replica, and all replicas order them alike.
package struct Stamp: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
  /// The hybrid time of the write.
  package let time: HybridTime
  /// The replica that wrote.
  package let replica: ReplicaID

  /// Creates a stamp from its parts.
  package init(time: HybridTime, replica: ReplicaID) {
    self.time = time
    self.replica = replica
  }

  /// Orders stamps by time, then by replica.
  package static func < (lhs: Stamp, rhs: Stamp) -> Bool {
    lhs.time == rhs.time ? lhs.replica < rhs.replica : lhs.time < rhs.time
  }

  /// The time and the replica, such as `1700000000000+3@9f86d081884c7d65`.
  package var description: String { "\(time)@\(replica)" }
}
