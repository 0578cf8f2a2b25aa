internal import Signals

/// A clock whose times follow causality and stay near the wall clock's.
///
/// Its state is the last time that was given out, witnessed or accepted:
///
/// - ``next()`` is later than each earlier time, whatever the wall clock does. When 65,536 times
///   fall into one millisecond, the clock runs ahead into the next one.
/// - ``witness(_:)`` takes in the time of a change that a log has, so that later changes here are
///   later than it. It never refuses a time: all readers of a log must apply the same changes.
/// - ``accept(_:)`` checks the time of a change that a log doesn't have yet. This is the only place
///   where drift is checked: a change with a time far ahead would win against all others until then.
///
/// A replica whose wall clock was ahead for a while has a last time that is ahead, too, and goes on
/// from there. If that is more than ``driftBound``, logs refuse its changes. To recover, once the
/// wall clock is right, it goes back to the last time that it knows from a log, with ``goBack(to:)``,
/// and makes the refused changes again at new times, with ``SharedChangeSet/moved(to:)``. No other
/// replica can have seen the old ones, since no log has them.
///
/// A log whose own wall clock was ahead may have accepted times that are ahead. The replicas
/// that have read these write later ones, so a log accepts times up to a millisecond after its last
/// one. They stay just after that until the wall clock has come there.
///
/// Each clock belongs to one replica or one log, which serializes the calls.
package struct HybridClock: Sendable {
  /// How far the time of a change may be ahead of the wall clock of the log, in milliseconds.
  package static let driftBound: UInt64 = 60_000

  /// The last time that was given out, witnessed or accepted.
  package private(set) var last: HybridTime
  private let wall: @Sendable () -> UInt64

  /// Creates a clock.
  ///
  /// - Parameters:
  ///   - last: The last time of the same replica, or in the same log, before a restart.
  ///   - wall: The wall clock, in milliseconds since 1970; the system's if it isn't given.
  package init(
    after last: HybridTime = .zero, wall: @escaping @Sendable () -> UInt64 = WallClock.milliseconds
  ) {
    self.last = last
    self.wall = wall
  }

  /// Returns a time later than all that the clock has given out, witnessed or accepted.
  package mutating func next() -> HybridTime {
    if last.rawValue == .max { trap("the clock's last time is the last that can be represented") }
    last = max(HybridTime(rawValue: last.rawValue + 1), HybridTime(milliseconds: reading))
    return last
  }

  /// Takes in the time of a change that a log has.
  package mutating func witness(_ time: HybridTime) {
    last = max(last, time)
  }

  /// Takes in the time of a change that is to be appended to a log, if it isn't too far ahead.
  ///
  /// - Throws: ``ClockDriftError`` if the time is more than ``driftBound`` ahead of the wall clock and
  ///   more than a millisecond after the last time; the clock is unchanged.
  package mutating func accept(_ time: HybridTime) throws(ClockDriftError) {
    let reading = reading
    let bound = max(reading + Self.driftBound, last.milliseconds + 1)
    guard time.milliseconds <= bound else { throw ClockDriftError(time: time, wall: reading) }
    witness(time)
  }

  /// Goes back after the wall clock was ahead, so that the next times are near it again.
  ///
  /// - Parameter time: The last time that the replica has read from logs, or that one of its changes
  ///   has there. All changes with later times must be made again, at new times.
  package mutating func goBack(to time: HybridTime) {
    last = min(last, time)
  }

  /// The wall clock; it is held at the last time that changes can have.
  private var reading: UInt64 { min(wall(), HybridTime.latest.milliseconds) }
}

/// A change has a time that is too far ahead of the clock of the log that should accept it.
///
/// The clock of the author's machine is ahead, or that of the log's is behind.
package struct ClockDriftError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The time that was refused.
  package let time: HybridTime
  /// The wall clock of the log, in milliseconds since 1970.
  package let wall: UInt64

  package init(time: HybridTime, wall: UInt64) {
    self.time = time
    self.wall = wall
  }

  /// By how much the time is ahead, and the bound.
  package var description: String {
    "a change's time is \(time.milliseconds - wall) ms ahead of the log's clock; "
      + "at most \(HybridClock.driftBound) ms are accepted"
  }
}
