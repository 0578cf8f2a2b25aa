// Which changes of others an author had seen when it made its own. It separates conflicts from plain
// overwrites, and decides whether an edit revives a deleted object.
//
// State: `entries`, in the order of the author's sets; `last`, the last entry about each other
// author, from which the earlier ones are found; `horizon`, the newest time in entries that were
// dropped. Entries come with the author's sets, and are dropped by compaction, and by thinning when
// there are too many in all: otherwise n authors that merge from all others would have n² entries.

internal import Signals

/// The newest times that one author had seen from the others, at each of its sets.
struct SeenHistory: Equatable {
  struct Entry: Equatable {
    /// When the author made its first set after seeing `seen`.
    let at: HybridTime
    let seen: HybridTime
    let other: UInt32
    /// The entry before this one about the same author, or -1.
    var previous: Int32
  }

  private(set) var entries: ContiguousArray<Entry> = []
  private var last: [UInt32: Int32] = [:]
  private(set) var horizon = HybridTime.zero

  var count: Int { entries.count }

  init() {}

  init(horizon: HybridTime) { self.horizon = horizon }

  mutating func note(_ seen: HybridTime, of other: UInt32, at time: HybridTime) {
    entries.append(Entry(at: time, seen: seen, other: other, previous: last[other] ?? -1))
    last[other] = Int32(entries.count - 1)
  }

  /// The newest time of another author that was seen at a time.
  ///
  /// A change as old as a dropped entry counts as seen.
  func seen(of other: UInt32, at time: HybridTime) -> HybridTime {
    max(exactlySeen(of: other, at: time), min(horizon, time))
  }

  /// The newest time of another author that was seen at a time, from what wasn't dropped.
  func exactlySeen(of other: UInt32, at time: HybridTime) -> HybridTime {
    var index = last[other] ?? -1
    while index >= 0, entries[Int(index)].at > time { index = entries[Int(index)].previous }
    return index < 0 ? .zero : entries[Int(index)].seen
  }

  /// Drops entries from before a time, apart from the latest about each author and those that hold
  /// at some later times.
  mutating func trim(before time: HybridTime, keeping pins: [HybridTime]) {
    drop(keeping: pins) { entry, next in entry.at >= time || (next ?? .max) > time }
  }

  /// Drops the older half, apart from the entries that hold at some later times.
  mutating func thin(keeping pins: [HybridTime]) {
    guard count > 1 else { return }
    let middle = entries[count / 2].at
    let dropped = drop(keeping: pins) { entry, _ in entry.at > middle }
    horizon = max(horizon, dropped)
  }

  /// Drops entries.
  ///
  /// - Parameters:
  ///   - pins: The times, in order, at which the entries that hold are kept.
  ///   - isKept: Whether an entry is kept, given when the next one about the same author was made.
  /// - Returns: The newest time in the dropped entries.
  @discardableResult
  private mutating func drop(
    keeping pins: [HybridTime], _ isKept: (Entry, HybridTime?) -> Bool
  ) -> HybridTime {
    var next = ContiguousArray<HybridTime?>(repeating: nil, count: count)
    for entry in entries where entry.previous >= 0 { next[Int(entry.previous)] = entry.at }
    let old = exchange(&entries, with: [])
    last = [:]
    var newest = HybridTime.zero
    for (index, entry) in old.enumerated() {
      let pin = pins.partitionPoint { $0 < entry.at }
      let isPinned = pin < pins.count && pins[pin] < next[index] ?? .max
      if isPinned || isKept(entry, next[index]) {
        note(entry.seen, of: entry.other, at: entry.at)
      } else {
        newest = max(newest, entry.seen)
      }
    }
    return newest
  }
}

extension HybridTime {
  fileprivate static var max: HybridTime { HybridTime(rawValue: .max) }
}
