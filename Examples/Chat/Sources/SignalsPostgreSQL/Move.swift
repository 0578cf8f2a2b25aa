import SignalsSync

/// A move of a partition between two databases.
struct Move {
  let partition: Partition
  let source: Database
  let target: Database
  /// The number of moves before.
  let epoch: Int64

  init(
    _ partition: Partition, from source: Database, to target: Database, after epoch: Int64
  ) {
    (self.partition, self.source, self.target, self.epoch) = (partition, source, target, epoch)
  }

  /// What a statement at the target has as its first parameters: it changes nothing after this move.
  private func query(
    _ statement: Statement, _ add: (inout Parameters) -> Void = { _ in }
  ) -> Query {
    Query(statement) {
      $0.add(partition.bytes)
      $0.add(Int64(source.number))
      $0.add(epoch + 1)
      add(&$0)
    }
  }

  /// Runs a statement with the partition and numbers as its parameters.
  func change(
    _ statement: Statement, in database: Database, _ numbers: [Int64]
  ) async throws(DatabaseError) {
    let query = Query(statement) {
      $0.add(partition.bytes)
      for number in numbers { $0.add(number) }
    }
    _ = try await database.writing.run([query])
  }

  func begin() async throws(DatabaseError) {
    _ = try await target.writing.run([query(.begin), query(.clearMoved)])
  }

  func seal() async throws(DatabaseError) {
    try await change(.seal, in: source, [Int64(target.number), epoch])
  }

  /// Copies entries and the snapshot to the target.
  ///
  /// - Parameter all: Whether the source is sealed and all is copied, or only so much that little is left.
  /// - Returns: Whether the target may still be opened: it isn't open, and no other move has begun.
  func copy(all: Bool) async throws(DatabaseError) -> Bool {
    let limit = 1_000
    while true {
      guard let from = try await source.row(of: partition),
        let to = try await target.row(of: partition),
        from.epoch == epoch, from.movedTo == (all ? target.number : nil),
        to.epoch == epoch + 1, to.movedTo == source.number
      else { return false }
      if from.snapshot != to.snapshot {
        // One that is replaced meanwhile is copied again.
        try await copySnapshot(of: from)
      } else if to.head.position < from.base.position {
        _ = try await target.writing.run([query(.skip) { $0.add(from.base) }])
      } else if to.head == from.head
        || !all && to.head.position.distance(to: from.head.position) < limit
      {
        return true
      } else if to.head.position >= from.head.position {
        throw .failed(.otherHistory(partition, position: to.head.position))
      } else {
        try await copyPage(from: to.head.position, limit)
      }
    }
  }

  private func copySnapshot(of row: PartitionRow) async throws(DatabaseError) {
    guard let snapshot = row.snapshot else { return }
    let parts = Database.parts(
      of: try await source.read(.parts) { $0.add(partition.bytes) }.joined(0))
    _ = try await target.writing.run(
      [query(.hold) { $0.add(snapshot) }]
        + parts.enumerated().map { number, part in
          query(.addPart) {
            $0.add(Int64(number))
            $0.add(part)
          }
        })
  }

  private func copyPage(
    from position: LogPosition, _ limit: Int
  ) async throws(DatabaseError) {
    let page = try await source.read(.page) {
      $0.add(partition.bytes)
      $0.add(Int64(clamping: position.rawValue))
      $0.add(Int64(limit))
      $0.add(Database.pageSize)
    }
    // They may be truncated by now.
    if page.count == 0 { return }
    let rows = 0..<page.count
    _ = try await target.writing.run([
      query(.addPage) {
        $0.add(rows.map { page.integer($0, 0) ?? 0 })
        $0.add(rows.map { page.integer($0, 1) ?? 0 })
        $0.add(rows.map { page.bytes($0, 2) ?? [] })
      }
    ])
  }

  /// Opens the target if it has all that the sealed source has.
  func open() async throws(DatabaseError) {
    guard let row = try await source.row(of: partition) else { return }
    _ = try await target.writing.run([
      query(.open) {
        $0.add(row.base)
        $0.add(row.head)
      }
    ])
  }
}

/// The row of a partition.
struct PartitionRow {
  /// The number of another database that has the partition.
  let movedTo: Int?
  /// The number of moves.
  let epoch: Int64
  /// The head before the first entry.
  let base: LogHead
  let head: LogHead
  let snapshot: LogHead?
}

extension Database {
  func row(of partition: Partition) async throws(DatabaseError) -> PartitionRow? {
    let rows = try await read(.row) { $0.add(partition.bytes) }
    return rows.count == 0 ? nil : PartitionRow(rows)
  }

  /// Returns the row of a partition, which is made if it is missing.
  func makeRow(of partition: Partition) async throws(DatabaseError) -> PartitionRow? {
    _ = try await writing.run([Query(.create) { $0.add([partition.bytes]) }])
    return try await row(of: partition)
  }

  /// Returns the names that follow a name, in their order, or some of them.
  func names(after name: [UInt8]) async throws(DatabaseError) -> [[UInt8]] {
    let rows = try await read(.names) { $0.add(name) }
    return (0..<rows.count).map { rows.bytes($0, 0) ?? [] }
  }
}

extension PartitionRow {
  fileprivate init(_ rows: Reply) {
    let snapshot = LogHead(rows, 0, 6)
    self.init(
      movedTo: rows.integer(0, 0).map { Int($0) }, epoch: rows.integer(0, 1) ?? 0,
      base: LogHead(rows, 0, 2), head: LogHead(rows, 0, 4),
      snapshot: rows.integer(0, 6) == nil ? nil : snapshot)
  }
}

extension Parameters {
  /// Adds the position and the chain of a head.
  fileprivate mutating func add(_ head: LogHead) {
    add(Int64(bitPattern: head.position.rawValue))
    add(Int64(bitPattern: head.chain))
  }
}
