// An append to partitions in several databases locks them in the order of the databases, so that two appends
// don't wait for each other.

public import SignalsSync

extension PostgreSQLLog {
  /// Appends entries to the logs of several partitions, to all or none, in a commit with other calls that wait.
  ///
  /// - Parameter all: The entries, for each partition at most once.
  /// - Returns: The heads after the entries.
  /// - Throws: An error as `ChangeLog` lists them.
  public func append(_ all: [LogAppend]) async throws(ChangeLogError) -> [LogHead] {
    for next in all { try next.checkLimits() }
    var tried: [LogHead]?
    return try await following { () throws(DatabaseError) in
      if databases.count == 1 { return try await databases[0].append(all) }
      for next in all where (next.head ?? .start) == .start { try await claim(next.partition) }
      var groups: [Int: [LogAppend]] = [:]
      for next in all { groups[places[next.partition], default: []].append(next) }
      if let (number, _) = groups.first, groups.count == 1 {
        do throws(DatabaseError) {
          return try await databases[number].append(all, tried: tried)
        } catch {
          if case .moved(_, _, let heads) = error { tried = heads }
          throw error
        }
      }
      if tried != nil {
        throw .failed(
          .unavailable(
            log: "\(all[0].partition)",
            reason: "it was moved while an append was under way, whose reply was lost"))
      }
      let heads = try await append(groups)
      return all.map { heads[$0.partition] ?? .start }
    }
  }

  /// Lets database 0 say where a partition is that it doesn't know yet.
  func claim(_ partition: Partition, for number: Int? = nil) async throws(DatabaseError) {
    if databases.count == 1 || places[partition] != 0 { return }
    var row = try await databases[0].row(of: partition)
    if row == nil {
      let claim = Query(.claim) {
        $0.add(partition.bytes)
        $0.add(Int64(number ?? database(byHashOf: partition)))
      }
      // On the connection that may wait for the transactions of others.
      _ = try await databases[0].writing.run([claim])
      row = try await databases[0].row(of: partition)
    }
    let place = row?.movedTo ?? 0
    if !databases.indices.contains(place) { throw .moved(partition, to: place) }
    places.set(partition, to: place)
  }

  /// Returns the number of the database in which a partition begins: that with the largest hash, so that a
  /// further database takes over its share and no other partition changes its place.
  func database(byHashOf partition: Partition) -> Int {
    let start = LogHead.start.after(partition.bytes)
    return databases.indices.max { start.after([UInt8($0)]).chain < start.after([UInt8($1)]).chain }
      ?? 0
  }

  /// Appends entries in several databases.
  private func append(
    _ groups: [Int: [LogAppend]]
  ) async throws(DatabaseError) -> [Partition: LogHead] {
    let end = ContinuousClock.now + patience
    var attempts = 0
    while true {
      // No transaction is prepared that waits for another database, because it locks partitions.
      for number in groups.keys { try await databases[number].waitForConnections(until: end) }
      var members: [(database: Database, group: AppendGroup)] = []
      for (number, appends) in groups.sorted(by: { $0.key < $1.key }) {
        var group: [AppendGroup.Member] = []
        for append in appends {
          let old: LogHead
          if let head = append.head {
            old = head
          } else {
            old = try await databases[number].head(of: append.partition)
          }
          group.append(.init(append, at: old))
        }
        members.append((databases[number], AppendGroup(members: group)))
      }
      do throws(DatabaseError) {
        try await append(members)
        let all = members.flatMap(\.group.members).map { ($0.append.partition, $0.new) }
        return Dictionary(all) { first, _ in first }
      } catch {
        switch error {
        // An append at any head is repeated at the head that the log has.
        case .failed(.headMoved(let partition, _))
        where groups.values.joined().contains { $0.partition == partition && $0.head == nil }: break
        // One that was declined, or couldn't be prepared, is in none of the databases.
        case .declined where .now < end: break
        case .declined(let error): throw .failed(error)
        default: throw error
        }
      }
      // Several that repeat theirs would be in each other's way for long.
      attempts = min(attempts + 1, 8)
      try? await Task.sleep(for: .milliseconds(Int.random(in: 0..<1 << attempts)))
    }
  }

  private func append(
    _ members: [(database: Database, group: AppendGroup)]
  ) async throws(DatabaseError) {
    guard let last = members.last else { return }
    let transaction =
      "\(Self.prefix(of: identifier))\(last.database.number)_\(UInt64.random(in: 0 ... .max))"
    let others = members.dropLast()
    do throws(DatabaseError) {
      for (database, group) in others { try await database.prepare(group, transaction) }
    } catch {
      await rollBack(transaction, in: others.map(\.database))
      if case .failed(.unavailable(let log, let reason)) = error {
        throw .declined(.unavailable(log: log, reason: reason))
      }
      throw error
    }
    do throws(DatabaseError) {
      try await last.database.append(last.group, deciding: transaction)
    } catch {
      switch error {
      case .failed(.closed): throw error
      case .failed(let error) where !error.isMovedHead:
        // Another process has declined it perhaps, or the reply was lost.
        if try await !last.database.decision(about: transaction) {
          await rollBack(transaction, in: others.map(\.database))
          throw .declined(error)
        }
      default:
        // Nothing was decided.
        await rollBack(transaction, in: others.map(\.database))
        throw error
      }
    }
    for (database, group) in others {
      try await database.end(transaction, isCommitted: true)
      try? await database.notify(of: group.members.map(\.append.partition))
    }
    try? await last.database.forget(transaction)
  }

  /// Rolls a transaction back where that is possible now; elsewhere it is forgotten, and found later.
  private func rollBack(_ transaction: String, in databases: [Database]) async {
    for database in databases { try? await database.end(transaction, isCommitted: false) }
  }

  // MARK: - Forgotten transactions

  /// Returns the prefix of the names of a log's transactions.
  private static func prefix(of identifier: LogIdentifier) -> String {
    "signals_\(identifier.value ?? "")_"
  }

  /// Ends the transactions of logs that have ended before they could, until it is cancelled.
  ///
  /// - Parameters:
  ///   - database: The database in which they are prepared.
  ///   - databases: All databases.
  ///   - identifier: The identifier of the log.
  static func endForgotten(
    in database: Database, of databases: [Database], _ identifier: LogIdentifier
  ) -> Task<Void, Never> {
    Task {
      // By this clock, since that of a server may step.
      var seen: [String: ContinuousClock.Instant] = [:]
      while !Task.isCancelled {
        try? await Task.sleep(for: .seconds(1))
        if identifier.value == nil { continue }
        let prefix = prefix(of: identifier)
        let prepared = (try? await database.preparedTransactions(prefix)) ?? []
        let now = ContinuousClock.now
        seen = Dictionary(prepared.map { ($0, seen[$0] ?? now) }) { first, _ in first }
        for (transaction, first) in seen where now - first >= .seconds(2) {
          guard let number = Int(transaction.dropFirst(prefix.count).prefix { $0 != "_" }),
            databases.indices.contains(number),
            let isCommitted = try? await databases[number].decision(about: transaction)
          else { continue }
          try? await database.end(transaction, isCommitted: isCommitted)
        }
      }
    }
  }
}

extension ChangeLogError {
  fileprivate var isMovedHead: Bool { if case .headMoved = self { true } else { false } }
}
