// The move of a partition from a source to a target:
//
// 1. The target gets a row that says that the partition is at the source, and copies of the entries, page by page.
// 2. The source's row is sealed: it says that the partition is at the target. Calls wait from now on.
// 3. The rest is copied, the target's row is opened, and database 0 says where the partition is.
// 4. The source forgets the entries.
//
// A process that finds a partition after step 2, whose move was given up, makes steps 3 and 4 itself. `epoch` is in
// all statements, so that a process that is late changes nothing: it grows in step 1, from that of the source, and
// in step 3.

public import SignalsSync

extension PostgreSQLLog {
  /// Returns the number of the database that has a partition, counted from 0.
  ///
  /// - Parameter partition: The partition.
  /// - Returns: The number, which for a partition without entries is that of the first append.
  /// - Throws: `ChangeLogError.unavailable(log:reason:)`.
  public func database(of partition: Partition) async throws(ChangeLogError) -> Int {
    try await at(partition) { (database) throws(DatabaseError) in
      guard let row = try await database.row(of: partition) else {
        return places[partition] == 0 ? self.database(byHashOf: partition) : database.number
      }
      if let number = row.movedTo { throw .moved(partition, to: number) }
      return database.number
    }
  }

  /// Moves a partition to another database, while it is in use.
  ///
  /// Its entries are copied first. Then appends and reads wait for the time in which the last ones are, which is
  /// some milliseconds. A move that ends half-way leaves the partition where it was, or is completed by the next
  /// call that uses the partition.
  ///
  /// - Parameters:
  ///   - partition: The partition.
  ///   - number: The number of the database, counted from 0.
  /// - Throws: `ChangeLogError.unavailable(log:reason:)`.
  public func move(_ partition: Partition, to number: Int) async throws(ChangeLogError) {
    precondition(databases.indices.contains(number), "The log has no database \(number).")
    try await at(partition) { (source) throws(DatabaseError) in
      try await claim(partition, for: number)
      if places[partition] != source.number { throw .moved(partition, to: places[partition]) }
      guard let row = try await source.makeRow(of: partition) else { return }
      if let number = row.movedTo { throw .moved(partition, to: number) }
      if source.number == number { return }
      let move = Move(partition, from: source, to: databases[number], after: row.epoch)
      try await move.begin()
      if try await move.copy(all: false) { try await move.seal() }
      // Another process may have moved it elsewhere meanwhile, from where it is moved now.
      let next = try await source.row(of: partition)?.movedTo ?? source.number
      if next != number { throw .moved(partition, to: next) }
      try await finish(move)
    }
  }

  /// Moves the partitions that aren't in the databases that the hashes of their names say, for instance after a
  /// database was added, or after moves.
  ///
  /// - Returns: The number of partitions that were moved.
  /// - Throws: `ChangeLogError.unavailable(log:reason:)`.
  @discardableResult
  public func spread() async throws(ChangeLogError) -> Int {
    var (last, count) = ([UInt8](), 0)
    while true {
      let names: [[UInt8]]
      do throws(DatabaseError) { names = try await databases[0].names(after: last) } catch {
        throw error.logError
      }
      guard let end = names.last else { return count }
      for name in names {
        let partition = Partition(String(decoding: name, as: UTF8.self))
        let number = database(byHashOf: partition)
        if try await database(of: partition) == number { continue }
        try await move(partition, to: number)
        count += 1
      }
      last = end
    }
  }

  /// Waits for the end of a move, or completes it after a second.
  func waitForMove(
    of partition: Partition, between first: Int, and second: Int
  ) async throws(ChangeLogError) {
    let end = ContinuousClock.now + .seconds(1)
    do throws(DatabaseError) {
      let pair = [databases[first], databases[second]]
      while true {
        let rows = [
          try await pair[0].row(of: partition), try await pair[1].row(of: partition),
        ]
        guard let one = rows[0], let other = rows[1], one.movedTo == second,
          other.movedTo == first, one.epoch != other.epoch
        else { return }
        if .now > end {
          let (source, target) = one.epoch < other.epoch ? (0, 1) : (1, 0)
          let epoch = min(one.epoch, other.epoch)
          return try await finish(
            Move(partition, from: pair[source], to: pair[target], after: epoch))
        }
        try? await Task.sleep(for: .milliseconds(5))
      }
    } catch { throw error.logError }
  }

  /// Copies the rest of a sealed partition, and opens it at its target.
  private func finish(_ move: Move) async throws(DatabaseError) {
    // What another process has copied at the same time may be older, and is copied again.
    while try await move.copy(all: true) {
      if try await !move.open() { continue }
      let target = move.target.number
      if move.source.number != 0, target != 0 {
        try await move.change(.point, in: databases[0], [Int64(target), move.epoch + 2])
      }
      return try await move.change(.clear, in: move.source, [Int64(target), move.epoch])
    }
  }
}
