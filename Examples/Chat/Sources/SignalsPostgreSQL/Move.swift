import SignalsSync

/// A move of a partition between two databases.
struct Move {
  let partition: Partition
  let source: Database
  let target: Database
  /// The epoch of the source.
  ///
  /// That of the target is 1 more while the partition comes, and 2 more from then on.
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
        try await copySnapshot()
      } else if to.head == from.head {
        return true
      } else if !all, to.head.position.distance(to: from.head.position) < limit,
        to.head.position >= from.base.position
      {
        return true
      } else if try await !copyPage(of: from, after: to.head, limit) {
        _ = try await target.writing.run([
          query(.restart) {
            $0.add(from.base)
            $0.add(Int64(bitPattern: to.head.position.rawValue))
          }
        ])
      }
    }
  }

  private func copySnapshot() async throws(DatabaseError) {
    // The head and the bytes in one statement, so that they belong together.
    let rows = try await source.read(.snapshot) { $0.add(partition.bytes) }
    let head = rows.integer(0, 1) == nil ? nil : LogHead(rows, 0, 1)
    _ = try await target.writing.run(
      [query(.hold) { $0.add(head) }, query(.dropParts)]
        + Database.parts(of: rows.joined(3)).enumerated().map { number, part in
          query(.addPart) {
            $0.add(Int64(number))
            $0.add(part)
          }
        })
  }

  /// Copies the entries that follow a head.
  ///
  /// - Returns: Whether the source has the head.
  private func copyPage(
    of row: PartitionRow, after head: LogHead, _ limit: Int
  ) async throws(DatabaseError) -> Bool {
    // The chain at a head is that after the entry before, or the base's.
    let isFirst = head.position == row.base.position
    if head.position < row.base.position || isFirst && head != row.base { return false }
    // The first row isn't an entry.
    let page = try await source.readEntries(
      of: partition, from: head.position.advanced(by: isFirst ? 0 : -1), limit: limit)
    if !isFirst {
      guard page.count > 1, page.integer(1, 4) == Int64(bitPattern: head.chain) else {
        return false
      }
    }
    let rows = (0..<page.count).dropFirst(isFirst ? 1 : 2)
    if rows.isEmpty { return false }
    _ = try await target.writing.run([
      query(.addPage) {
        $0.add(rows.map { page.integer($0, 2) ?? 0 })
        $0.add(rows.map { page.integer($0, 4) ?? 0 })
        $0.add(rows.map { page.bytes($0, 5) ?? [] })
      }
    ])
    return true
  }

  /// Opens the target if it has all that the sealed source has.
  ///
  /// - Returns: Whether the target is open.
  func open() async throws(DatabaseError) -> Bool {
    guard let row = try await source.row(of: partition), row.movedTo == target.number,
      row.epoch == epoch
    else { return false }
    _ = try await target.writing.run([
      query(.open) {
        $0.add(row.base)
        $0.add(row.head)
        $0.add(row.snapshot)
      }
    ])
    guard let opened = try await target.row(of: partition) else { return false }
    return opened.movedTo == nil && opened.epoch == epoch + 2
  }
}

/// The row of a partition.
struct PartitionRow {
  /// The number of another database that has the partition.
  let movedTo: Int?
  /// The number of moves, of which each counts twice.
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
  /// Adds the position and the chain of a head, or two nulls.
  fileprivate mutating func add(_ head: LogHead?) {
    guard let head else {
      for _ in 0..<2 { addNull() }
      return
    }
    add(Int64(bitPattern: head.position.rawValue))
    add(Int64(bitPattern: head.chain))
  }
}
