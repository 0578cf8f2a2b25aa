import SignalsSync

/// Appends of several calls, which are one transaction.
struct AppendGroup {
  /// An append of a call.
  struct Member {
    let append: LogAppend
    /// The number of the call.
    let call: Int
    /// The head that the log must have.
    let old: LogHead
    /// The head after each entry.
    let heads: [LogHead]
    /// Whether it was sent before, to another database.
    let isRepeated: Bool

    var name: [UInt8] { append.partition.bytes }
    var new: LogHead { heads.last ?? old }

    init(_ append: LogAppend, at old: LogHead, call: Int = 0, isRepeated: Bool = false) {
      var end = old
      heads = append.entries.map { entry in
        end = end.after(entry)
        return end
      }
      (self.append, self.old, self.call, self.isRepeated) = (append, old, call, isRepeated)
    }
  }

  /// What has become of an append.
  enum Result {
    /// The log has, or could take, the entries.
    case matched
    /// The log has another head.
    case movedHead(LogHead)
    /// The partition is in another database.
    case moved(to: Int)
  }

  let members: [Member]

  /// Returns the statements, of which the one before the last reads the heads.
  ///
  /// - Parameter isNotifying: Whether listeners are notified, which a transaction that is prepared can't do.
  func queries(isNotifying: Bool) -> [Query] {
    let names = members.map(\.name)
    var queries: [Query] = []
    let new = members.filter { $0.old == .start }
    if !new.isEmpty { queries.append(Query(.create) { $0.add(new.map(\.name)) }) }
    queries.append(Query(.lock) { $0.add(names) })
    queries.append(
      Query(.present) {
        $0.add(names)
        $0.add(members.map { Int64(bitPattern: $0.new.position.rawValue) - 1 })
      })
    queries.append(
      Query(.append) {
        $0.add(names)
        $0.add(members.map { Int64($0.call) })
        $0.add(members.map { Int64(bitPattern: $0.old.position.rawValue) })
        $0.add(members.map { Int64(bitPattern: $0.old.chain) })
        $0.add(members.map { Int64(bitPattern: $0.new.position.rawValue) })
        $0.add(members.map { Int64(bitPattern: $0.new.chain) })
        $0.add(
          members.enumerated().flatMap { index, next in next.heads.map { _ in Int64(index + 1) } })
        $0.add(members.flatMap { $0.heads.map { Int64(bitPattern: $0.position.rawValue) - 1 } })
        $0.add(members.flatMap { $0.heads.map { Int64(bitPattern: $0.chain) } })
        $0.add(members.flatMap(\.append.entries))
        $0.add(isNotifying ? 1 : 0)
      })
    return queries
  }

  /// Returns what has become of each member.
  ///
  /// - Parameters:
  ///   - rows: The reply to the statement that reads the heads.
  ///   - isRepeated: Whether the statements were sent before, on a connection that ended.
  func results(_ rows: Reply, isRepeated: Bool) -> [Result] {
    var places: [[UInt8]: Int] = [:]
    for row in 0..<rows.count { places[rows.bytes(row, 0) ?? []] = row }
    return members.map { member in
      let row = places[member.name]
      if let number = row.flatMap({ rows.integer($0, 1) }) { return .moved(to: Int(number)) }
      let head = row.map { LogHead(rows, $0, 2) } ?? .start
      // The log has the entries of an earlier attempt if it has the chain after the last one.
      let isThere =
        (isRepeated || member.isRepeated) && !member.heads.isEmpty
        && row.flatMap { rows.integer($0, 4) } == Int64(bitPattern: member.new.chain)
      return head == member.old || isThere ? .matched : .movedHead(head)
    }
  }
}
