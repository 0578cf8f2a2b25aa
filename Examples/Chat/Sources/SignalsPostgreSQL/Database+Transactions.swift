// A transaction of several databases is prepared in all but the last one. The last one decides with its own
// transaction, in which the entries are appended and the decision is recorded. Then it is committed in the others.
//
// The name of a prepared transaction is that of the transaction and the number of its database, because the databases
// of one server have the same names.
//
// Each log of several databases looks for transactions whose log has ended before that, and ends them as the last
// database has decided. If it hasn't decided, it declines: a decision fails from then on.

import SignalsSync

extension Database {
  /// Appends entries in a transaction that remains open, with the heads locked.
  func prepare(_ group: AppendGroup, _ transaction: String) async throws(DatabaseError) {
    let queries = group.queries(isNotifying: false)
    let prepares =
      [Query(text: "BEGIN")] + queries + [
        Query(text: "PREPARE TRANSACTION '\(transaction)_\(number)'")
      ]
    let outcome = try await writing.run(prepares, as: .preparing)
    try check(group, outcome.replies[queries.count - 1])
  }

  /// Appends entries, and decides with it that a transaction of other databases is committed.
  func append(_ group: AppendGroup, deciding transaction: String) async throws(DatabaseError) {
    let queries = group.queries(isNotifying: true)
    let decision = Query(.decide) {
      $0.add(transaction.utf8)
      $0.add(group.members.map(\.name))
      $0.add(group.members.map { Int64(bitPattern: $0.new.position.rawValue) })
      $0.add(group.members.map { Int64(bitPattern: $0.new.chain) })
    }
    let outcome = try await writing.run(queries + [decision])
    // The partitions may have been moved since the first attempt.
    if outcome.isRepeated, try await self.decision(about: transaction) { return }
    try check(group, outcome.replies[queries.count - 2])
  }

  private func check(_ group: AppendGroup, _ rows: Reply) throws(DatabaseError) {
    for (member, result) in zip(group.members, group.results(rows, isRepeated: false)) {
      switch result {
      case .matched: break
      case .moved(let number): throw .moved(member.append.partition, to: number)
      case .movedHead(let head): throw .failed(.headMoved(member.append.partition, to: head))
      }
    }
  }

  /// Ends a prepared transaction, if there is one with the name.
  ///
  /// On the connection that reads: that which appends may wait for the rows that the transaction has locked.
  func end(_ transaction: String, isCommitted: Bool) async throws(DatabaseError) {
    let verb = isCommitted ? "COMMIT" : "ROLLBACK"
    _ = try await reading.run(
      [Query(text: "\(verb) PREPARED '\(transaction)_\(number)'")], as: .ending)
  }

  /// Notifies those that listen of partitions.
  func notify(of partitions: [Partition]) async throws(DatabaseError) {
    _ = try await read(.notify) { $0.add(partitions.map(\.bytes)) }
  }

  /// Returns the names of transactions that are prepared here and begin with a prefix.
  func preparedTransactions(_ prefix: String) async throws(DatabaseError) -> [String] {
    let rows = try await read(.prepared) { $0.add(prefix.utf8) }
    let suffix = "_\(number)"
    return (0..<rows.count).map { String(decoding: rows.bytes($0, 0) ?? [], as: UTF8.self) }
      .filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }
  }

  /// Returns whether a transaction was committed, and declines it if that isn't decided.
  func decision(about transaction: String) async throws(DatabaseError) -> Bool {
    let queries = [Statement.decline, .decision].map { statement in
      Query(statement) { $0.add(transaction.utf8) }
    }
    return try await reading.run(queries).replies[1].integer(0, 0) == 1
  }

  /// Forgets the decision about a transaction that has ended everywhere.
  func forget(_ transaction: String) async throws(DatabaseError) {
    _ = try await read(.forget) { $0.add(transaction.utf8) }
  }
}
