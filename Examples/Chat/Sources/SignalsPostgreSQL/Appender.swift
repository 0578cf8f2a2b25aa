// Order of events: an append waits in `waiting` while a group is being committed. The next group has the first
// appends of different partitions, up to a size. An append at any head is first one at the head that is known,
// and is repeated at the head that the log has.

import SignalsSync

/// Commits appends in groups.
actor Appender {
  struct Waiting {
    let append: LogAppend
    /// The head that the log must have.
    var old: LogHead
    let complete: (Result<LogHead, ChangeLogError>) -> Void
  }

  private let session: Session
  private var waiting: [Waiting] = []
  private var isCommitting = false
  /// Called when no append is waiting.
  private var onIdle: [() -> Void] = []

  init(_ session: Session) { self.session = session }

  /// The size of a group after which the next append waits for another one, in bytes.
  private static let groupSize = 1 << 24

  /// Appends entries to partitions, each on its own.
  func append(_ all: [LogAppend]) async -> [Result<LogHead, ChangeLogError>] {
    if all.isEmpty { return [] }
    return await withCheckedContinuation { continuation in
      var results = [Result<LogHead, ChangeLogError>?](repeating: nil, count: all.count)
      var missing = all.count
      for (index, append) in all.enumerated() {
        waiting.append(
          Waiting(append: append, old: append.head ?? .start) { result in
            results[index] = result
            missing -= 1
            if missing == 0 { continuation.resume(returning: results.compactMap { $0 }) }
          })
      }
      commit()
    }
  }

  /// Waits until all appends are completed, and ends the session.
  func end() async {
    session.close()
    if isCommitting { await withCheckedContinuation { done in onIdle.append { done.resume() } } }
    await session.end()
  }

  private func commit() {
    if isCommitting { return }
    isCommitting = true
    Task {
      while !waiting.isEmpty { await commitGroup() }
      isCommitting = false
      let actions = onIdle
      onIdle = []
      for action in actions { action() }
    }
  }

  /// Takes the next appends of different partitions.
  private func takeGroup() -> [Waiting] {
    var (group, rest, size) = ([Waiting](), [Waiting](), 0)
    var names: Set<Partition> = []
    for next in waiting {
      // The later appends of a partition stay behind the first one that waits.
      let isFirst = names.insert(next.append.partition).inserted
      let isSmall = group.isEmpty || size < Self.groupSize
      if isFirst && isSmall {
        group.append(next)
        size += next.append.entries.reduce(0) { $0 + $1.count + 32 }
      } else {
        rest.append(next)
      }
    }
    waiting = rest
    return group
  }

  private func commitGroup() async {
    var group = takeGroup().map { (waiting: $0, heads: $0.heads) }
    // The server locks them in this order.
    group.sort {
      let (first, second) = ($0.waiting.append.partition, $1.waiting.append.partition)
      return first.bytes.lexicographicallyPrecedes(second.bytes)
    }
    let queries = queries(of: group.map { ($0.waiting, $0.heads) })
    let outcome: Job.Outcome
    do throws(ChangeLogError) { outcome = try await session.run(queries) } catch {
      for next in group { next.waiting.complete(.failure(error)) }
      return
    }
    let rows = outcome.replies[queries.count - 2]
    var known: [[UInt8]: Int] = [:]
    for row in 0..<rows.count { known[rows.bytes(row, 0) ?? []] = row }
    for (next, heads) in group {
      let row = known[next.append.partition.bytes]
      let head = row.map { LogHead(rows, $0, 1) } ?? .start
      let new = heads.last ?? next.old
      let isThere =
        outcome.isRepeated && !heads.isEmpty
        && row.flatMap { rows.integer($0, 3) } == Int64(bitPattern: new.chain)
      if head == next.old || isThere {
        next.complete(.success(new))
      } else if next.append.head == nil {
        var next = next
        next.old = head
        waiting.insert(next, at: 0)
      } else {
        next.complete(.failure(.headMoved(next.append.partition, to: head)))
      }
    }
  }

  /// Returns the statements that append a group; the one before the last locks the heads.
  private func queries(of group: [(waiting: Waiting, heads: [LogHead])]) -> [Query] {
    let names = group.map(\.waiting.append.partition.bytes)
    let new = group.map { $0.heads.last ?? $0.waiting.old }
    var queries: [Query] = []
    let created = group.filter { $0.waiting.old == .start && !$0.heads.isEmpty }
    if !created.isEmpty {
      queries.append(Query(.create) { $0.add(created.map(\.waiting.append.partition.bytes)) })
    }
    queries.append(
      Query(.lock) {
        $0.add(names)
        $0.add(new.map { Int64(bitPattern: $0.position.rawValue) - 1 })
      })
    queries.append(
      Query(.append) {
        $0.add(names)
        $0.add(group.map { Int64(bitPattern: $0.waiting.old.position.rawValue) })
        $0.add(group.map { Int64(bitPattern: $0.waiting.old.chain) })
        $0.add(new.map { Int64(bitPattern: $0.position.rawValue) })
        $0.add(new.map { Int64(bitPattern: $0.chain) })
        $0.add(
          group.enumerated().flatMap { index, next in next.heads.map { _ in Int64(index + 1) } })
        $0.add(group.flatMap { $0.heads.map { Int64(bitPattern: $0.position.rawValue) - 1 } })
        $0.add(group.flatMap { $0.heads.map { Int64(bitPattern: $0.chain) } })
        $0.add(group.flatMap(\.waiting.append.entries))
      })
    return queries
  }
}

extension Appender.Waiting {
  /// The head after each of the entries.
  var heads: [LogHead] {
    var end = old
    return append.entries.map { entry in
      end = end.after(entry)
      return end
    }
  }
}
