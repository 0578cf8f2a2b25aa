import SignalsSync
import Synchronization
import Testing

/// What clients have done to a log, and what they have seen of it, with the times.
///
/// The check compares them with what the log has at the end.
final class History: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// An entry that a client has appended, or tried to.
  struct Append {
    /// The partitions, all of which have the entry or none.
    let partitions: [Partition]
    let text: String
    /// The positions and the time, if the append was acknowledged.
    let acknowledged: (positions: [LogPosition], at: Instant)?
  }

  /// What a read has found from a position to the end.
  struct Read {
    let partition: Partition
    let from: LogPosition
    let texts: [String]
    let (begin, end): (Instant, Instant)

    var head: LogPosition { from.advanced(by: texts.count) }
  }

  private let state = Mutex<(appends: [Append], reads: [Read])>(([], []))

  func add(_ append: Append) { state.withLock { $0.appends.append(append) } }

  func add(_ read: Read) { state.withLock { $0.reads.append(read) } }

  var acknowledgedCount: Int {
    state.withLock { $0.appends.lazy.filter { $0.acknowledged != nil }.count }
  }

  /// Checks the history.
  ///
  /// - Parameter contents: What the log has at the end.
  /// - Returns: What is wrong.
  func problems(_ contents: [Partition: [String]]) -> [String] {
    let (appends, reads) = state.withLock { $0 }
    return appendProblems(appends, contents) + readProblems(reads, contents)
      + orderProblems(appends, reads)
  }

  private func appendProblems(
    _ appends: [Append], _ contents: [Partition: [String]]
  ) -> [String] {
    var problems: [String] = []
    var places: [Partition: [String: [Int]]] = [:]
    for (partition, texts) in contents {
      for (place, text) in texts.enumerated() {
        places[partition, default: [:]][text, default: []].append(place)
      }
      // Entries are an author's name and a number that grows.
      var last: [Substring: Int] = [:]
      for text in texts {
        let words = text.split(separator: " ")
        let number = Int(words[1]) ?? -1
        if number <= last[words[0]] ?? 0 { problems.append("\(partition): \(text) isn't in order") }
        last[words[0]] = number
      }
    }
    for append in appends {
      let found = append.partitions.map { places[$0]?[append.text] ?? [] }
      if found.contains(where: { $0.count > 1 }) {
        problems.append("\(append.text) is there twice")
      }
      if Set(found.map(\.isEmpty)).count > 1 {
        problems.append("\(append.text) is in some of \(append.partitions) only")
      }
      if let acknowledged = append.acknowledged,
        found != acknowledged.positions.map({ [Int($0.rawValue)] })
      {
        problems.append("\(append.text) was acknowledged, and is at \(found)")
      }
    }
    let known = Set(appends.map(\.text))
    for text in contents.values.joined() where !known.contains(text) {
      problems.append("\(text) was never appended")
    }
    return problems
  }

  private func readProblems(
    _ reads: [Read], _ contents: [Partition: [String]]
  ) -> [String] {
    reads.compactMap { read in
      let rest = (contents[read.partition] ?? []).dropFirst(Int(read.from.rawValue))
      return rest.starts(with: read.texts)
        ? nil : "\(read.partition): a read at \(read.from) has found what isn't there any more"
    }
  }

  /// What was acknowledged or read before a read has begun is in it.
  private func orderProblems(_ appends: [Append], _ reads: [Read]) -> [String] {
    var known: [Partition: [(at: Instant, head: LogPosition)]] = [:]
    for append in appends {
      guard let acknowledged = append.acknowledged else { continue }
      for (partition, position) in zip(append.partitions, acknowledged.positions) {
        known[partition, default: []].append((acknowledged.at, position.advanced(by: 1)))
      }
    }
    for read in reads { known[read.partition, default: []].append((read.end, read.head)) }
    var problems: [String] = []
    for (partition, all) in known {
      let sorted = all.sorted { $0.at < $1.at }
      var (next, least) = (0, LogPosition.start)
      for read in reads.filter({ $0.partition == partition }).sorted(by: { $0.begin < $1.begin }) {
        while next < sorted.count, sorted[next].at < read.begin {
          least = max(least, sorted[next].head)
          next += 1
        }
        if read.head < least {
          problems.append("\(partition): a read has found \(read.head), after \(least) was known")
        }
      }
    }
    return problems
  }
}

@Suite struct `A history of a log` {
  private static func read(
    _ texts: [String], from: Int = 0, _ begin: History.Instant, _ end: History.Instant
  ) -> History.Read {
    History.Read(
      partition: "p", from: LogPosition(rawValue: UInt64(from)), texts: texts, begin: begin,
      end: end)
  }

  @Test func `finds each kind of fault`() {
    let times = (0..<6).map { History.Instant.now + .seconds($0) }
    func problems(
      _ contents: [Partition: [String]], _ reads: [History.Read] = []
    ) -> [String] {
      let history = History()
      history.add(
        .init(partitions: ["p"], text: "a 1", acknowledged: ([.start], times[1])))
      history.add(.init(partitions: ["p", "q"], text: "a 2", acknowledged: nil))
      for read in reads { history.add(read) }
      return history.problems(contents)
    }
    #expect(problems(["p": ["a 1"]]) == [])
    #expect(problems(["p": ["a 1", "a 2"], "q": ["a 2"]]) == [])
    #expect(problems(["p": []]) == ["a 1 was acknowledged, and is at [[]]"])
    #expect(
      problems(["p": ["a 1", "a 1"]]) == [
        "p: a 1 isn't in order", "a 1 is there twice",
        "a 1 was acknowledged, and is at [[0, 1]]",
      ])
    #expect(problems(["p": ["a 1", "a 2"]]) == ["a 2 is in some of [p, q] only"])
    #expect(problems(["p": ["a 1", "b 1"]]) == ["b 1 was never appended"])
    #expect(
      problems(["p": ["a 1"]], [Self.read(["a 1", "a 2"], times[0], times[2])]) == [
        "p: a read at 0 has found what isn't there any more"
      ])
    // Begun before the append was acknowledged, or afterwards.
    #expect(problems(["p": ["a 1"]], [Self.read([], times[0], times[3])]) == [])
    #expect(
      problems(["p": ["a 1"]], [Self.read([], times[2], times[3])]) == [
        "p: a read has found 0, after 1 was known"
      ])
    let pair = [Self.read(["a 1"], times[0], times[0]), Self.read([], times[1], times[3])]
    #expect(problems(["p": ["a 1"]], pair) == ["p: a read has found 0, after 1 was known"])
  }
}
