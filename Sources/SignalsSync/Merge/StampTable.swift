// The stamps and authors that a replica has met, each as a small number.
//
// State: all operations of a change set have one stamp, so a stamp is kept once a set, and a field
// refers to it by 4 bytes. `SharedState+Compaction.swift` drops the stamps that nothing refers to.

/// The number of a stamp in a ``StampTable``; 0 stands for no stamp and is earlier than any other.
package typealias StampIndex = UInt32

/// The stamps of the merged change sets.
struct StampTable {
  private(set) var times: ContiguousArray<HybridTime> = [.zero]
  private(set) var authors: ContiguousArray<UInt32> = [0]
  /// The authors by number; 0 is no author.
  private(set) var replicas: ContiguousArray<ReplicaID> = [ReplicaID(rawValue: 0)]
  private var numbers: [ReplicaID: UInt32] = [:]
  /// Which changes an author had seen when it made its sets, by author.
  private(set) var histories: ContiguousArray<SeenHistory> = [SeenHistory()]

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

  /// Whether the author of the later of two stamps didn't know the change with the earlier one.
  @inline(__always)
  func isUnseen(_ earlier: StampIndex, by later: StampIndex) -> Bool {
    let author = authors[Int(earlier)]
    if earlier == 0 || author == authors[Int(later)] { return false }
    return times[Int(earlier)]
      > histories[Int(authors[Int(later)])].seen(of: author, at: times[Int(later)])
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

  /// Forgets what authors had seen before a time, apart from the latest of it.
  mutating func trimHistories(before time: HybridTime) {
    for index in histories.indices { histories[index].trim(before: time) }
  }

  /// Restores what an author had seen.
  mutating func restore(_ history: SeenHistory, of author: UInt32) {
    histories[Int(author)] = history
  }
}

/// What one author had seen of the others at each time.
struct SeenHistory: Equatable {
  /// For each other author, when something new of it was first seen, and its time; both ascend.
  private(set) var entries: [UInt32: ContiguousArray<Entry>] = [:]

  struct Entry: Equatable {
    let at: HybridTime
    let seen: HybridTime
  }

  mutating func note(_ seen: HybridTime, of other: UInt32, at time: HybridTime) {
    entries[other, default: []].append(Entry(at: time, seen: seen))
  }

  /// The newest time of another author that was seen at a time.
  func seen(of other: UInt32, at time: HybridTime) -> HybridTime {
    guard let entries = entries[other], let last = entries.last else { return .zero }
    if last.at <= time { return last.seen }
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].at <= time { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? .zero : entries[low - 1].seen
  }

  mutating func trim(before time: HybridTime) {
    for (other, list) in entries {
      let first = list.firstIndex { $0.at >= time } ?? list.count
      if first > 1 { entries[other] = ContiguousArray(list[(first - 1)...]) }
    }
  }
}
