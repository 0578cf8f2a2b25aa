internal import Signals

/// A clock whose times follow causality and stay near the wall clock's.
///
/// Its state is the last time, given out or witnessed, and the highest reading of the wall clock:
///
/// - ``next()`` is later than each earlier time, whatever the wall clock does. When 65,536 times
///   fall into one millisecond, the clock runs ahead into the next one.
/// - ``witness(_:)`` takes in the time of a remote change, so that later changes here are later than
///   it. A time too far ahead is refused: it would win against all changes until that time.
///
/// Each clock belongs to one replica, which serializes the calls.
package struct HybridClock: Sendable {
  /// How far a remote time may be ahead of the wall clock, in milliseconds.
  package static let driftBound: UInt64 = 60_000

  /// The last time that was given out or witnessed.
  package private(set) var last: HybridTime
  /// The highest reading of the wall clock.
  ///
  /// Because it is kept, a wall clock that is set back doesn't make the times of peers look too far
  /// ahead. Because only readings count, peers can't move the bound, each a little ahead of the last.
  private var highestReading: UInt64 = 0
  private let wall: @Sendable () -> UInt64

  /// Creates a clock.
  ///
  /// - Parameters:
  ///   - last: The last time of the same replica before a restart.
  ///   - wall: The wall clock, in milliseconds since 1970; the system's if it isn't given.
  package init(
    after last: HybridTime = .zero, wall: @escaping @Sendable () -> UInt64 = WallClock.milliseconds
  ) {
    self.last = last
    self.wall = wall
  }

  /// Returns a time later than all that the clock has given out or witnessed.
  package mutating func next() -> HybridTime {
    let reading = HybridTime(milliseconds: readWall())
    if last.rawValue == .max { trap("the clock's last time is the last that can be represented") }
    last = max(HybridTime(rawValue: last.rawValue + 1), reading)
    return last
  }

  /// Takes in the time of a remote change.
  ///
  /// - Throws: ``ClockDriftError`` if the time is more than ``driftBound`` ahead of the wall clock;
  ///   the clock is unchanged.
  package mutating func witness(_ time: HybridTime) throws(ClockDriftError) {
    guard time > last else { return }
    try check(time)
    last = time
  }

  /// Checks that a remote time isn't too far ahead, without taking it in.
  ///
  /// - Throws: ``ClockDriftError`` if it is.
  package mutating func check(_ time: HybridTime) throws(ClockDriftError) {
    let reading = readWall()
    guard time.milliseconds <= reading + Self.driftBound else {
      throw ClockDriftError(time: time, wall: reading)
    }
  }

  private mutating func readWall() -> UInt64 {
    // Beyond the representable range only if the wall clock is nonsense.
    highestReading = max(highestReading, min(wall(), (1 << 48) - 1))
    return highestReading
  }
}

/// A remote change has a time that is too far ahead of this machine's clock.
public struct ClockDriftError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The time that was refused.
  public let time: HybridTime
  /// The highest reading of the wall clock here, in milliseconds since 1970.
  public let wall: UInt64

  package init(time: HybridTime, wall: UInt64) {
    self.time = time
    self.wall = wall
  }

  /// By how much the time is ahead, and the bound.
  public var description: String {
    "a change's time is \(time.milliseconds - wall) ms ahead of the clock here; "
      + "at most \(HybridClock.driftBound) ms are accepted"
  }
}
