// The stamps and authors that a replica has met, each as a small number.
//
// State: all operations of a change set have one stamp, so a stamp is kept once a set, and a field
// refers to it by 4 bytes. `MergingStore+Compaction.swift` drops the stamps that nothing refers to.

/// The number of a stamp in a ``StampTable``; 0 is the absence of a stamp, which is earlier than any other.
package typealias StampIndex = UInt32

/// The stamps of the merged change sets.
struct StampTable {
  private(set) var times: ContiguousArray<HybridTime> = [.zero]
  private(set) var authors: ContiguousArray<UInt32> = [0]
  /// The authors by number; 0 is unused.
  private(set) var replicas: ContiguousArray<ReplicaID> = [ReplicaID(rawValue: 0)]
  private var numbers: [ReplicaID: UInt32] = [:]
  /// Which changes an author had seen when it made its sets, by author.
  private(set) var histories: ContiguousArray<SeenHistory> = [SeenHistory()]
  /// The number of entries in all histories, and how many the last thinning left.
  private var seenCount = 0
  private var seenKept = 0
  /// The number of entries that histories have before they are thinned out.
  var seenLimit = 65_536

  var count: Int { times.count }

  /// The number of an author, which is added if it is new.
  mutating func author(_ replica: ReplicaID) -> UInt32 {
    if let known = numbers[replica] { return known }
    let number = UInt32(replicas.count)
    replicas.append(replica)
    histories.append(SeenHistory())
    numbers[replica] = number
    return number
  }

  /// Adds the stamp of a change set.
  mutating func add(_ time: HybridTime, by author: UInt32) -> StampIndex {
    times.append(time)
    authors.append(author)
    return StampIndex(times.count - 1)
  }

  /// Notes what the author of a set had seen for the first time.
  mutating func note(_ seen: [Stamp], by author: UInt32, at time: HybridTime) {
    for stamp in seen {
      let other = self.author(stamp.replica)
      histories[Int(author)].note(stamp.time, of: other, at: time)
    }
    seenCount += seen.count
  }

  /// Whether the histories have so many entries that they should be thinned out.
  var hasTooManySeen: Bool { seenCount > max(seenLimit, 2 * seenKept) }

  /// Drops the older half of each history.
  ///
  /// - Parameter deletions: The deletions that may still be asked about exactly.
  mutating func thinHistories(keeping deletions: some Sequence<StampIndex>) {
    let pins = pins(deletions)
    for index in histories.indices { histories[index].thin(keeping: pins[UInt32(index)] ?? []) }
    countSeen()
  }

  private mutating func countSeen() {
    seenCount = histories.reduce(0) { $0 + $1.count }
    seenKept = seenCount
  }

  /// The times of stamps, by author.
  private func pins(_ deletions: some Sequence<StampIndex>) -> [UInt32: [HybridTime]] {
    var pins: [UInt32: [HybridTime]] = [:]
    for stamp in deletions { pins[authors[Int(stamp)], default: []].append(times[Int(stamp)]) }
    return pins.mapValues { $0.sorted() }
  }

  /// Whether the author of a deletion had seen an edit.
  func covers(_ deletion: StampIndex, _ edit: StampIndex) -> Bool {
    let (author, editor) = (authors[Int(deletion)], authors[Int(edit)])
    let known =
      author == editor
      ? times[Int(deletion)]
      : histories[Int(author)].exactlySeen(of: editor, at: times[Int(deletion)])
    return times[Int(edit)] <= known
  }

  subscript(index: StampIndex) -> Stamp {
    Stamp(time: times[Int(index)], replica: replicas[Int(authors[Int(index)])])
  }

  /// Whether one stamp is later than another.
  @inline(__always)
  func isLater(_ one: StampIndex, than other: StampIndex) -> Bool {
    let (first, second) = (times[Int(one)], times[Int(other)])
    if first != second { return first > second }
    return one != other
      && replicas[Int(authors[Int(one)])] > replicas[Int(authors[Int(other)])]
  }

  /// Replaces the stamps by those in use.
  ///
  /// - Returns: The new number of each old one.
  mutating func keep(_ used: [Bool]) -> [StampIndex] {
    var renumbered = [StampIndex](repeating: 0, count: times.count)
    var (keptTimes, keptAuthors) = (ContiguousArray<HybridTime>(), ContiguousArray<UInt32>())
    for index in times.indices where index == 0 || used[index] {
      renumbered[index] = StampIndex(keptTimes.count)
      keptTimes.append(times[index])
      keptAuthors.append(authors[index])
    }
    (times, authors) = (keptTimes, keptAuthors)
    return renumbered
  }

  /// Forgets what authors had seen before a time, apart from the latest of it, and from what some
  /// deletions depend on.
  mutating func trimHistories(before time: HybridTime, keeping deletions: [StampIndex]) {
    let pins = pins(deletions)
    for index in histories.indices {
      histories[index].trim(before: time, keeping: pins[UInt32(index)] ?? [])
    }
    countSeen()
  }

  /// Restores what an author had seen.
  mutating func restore(_ history: SeenHistory, of author: UInt32) {
    histories[Int(author)] = history
    countSeen()
  }
}
