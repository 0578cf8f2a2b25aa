// Order of events: a call waits in `waiting` while a group is being committed. The next group has the first calls
// with different partitions, up to a size. An append at any head is first one at the start, and is repeated at
// the head that the log has.

import SignalsSync

/// Commits the appends of several calls in groups.
actor Appender {
  /// A call, which appends to all of its partitions or to none.
  struct Call {
    let appends: [LogAppend]
    /// The heads that the logs must have.
    var old: [LogHead]
    let complete: (Result<[LogHead], ChangeLogError>) -> Void
  }

  /// An append of a group.
  private struct Member {
    let append: LogAppend
    /// The place of the call in the group.
    let call: Int
    let old: LogHead
    /// The head after each entry.
    let heads: [LogHead]

    var name: [UInt8] { append.partition.bytes }
    var new: LogHead { heads.last ?? old }
  }

  private let session: Session
  private var waiting: [Call] = []
  private var isCommitting = false

  init(_ session: Session) { self.session = session }

  /// The size of a group after which the next append waits for another one, in bytes.
  private static let groupSize = 1 << 24

  /// Appends entries to all partitions, or to none.
  func append(_ all: [LogAppend]) async throws(ChangeLogError) -> [LogHead] {
    if all.isEmpty { return [] }
    let result = await withCheckedContinuation { continuation in
      waiting.append(
        Call(appends: all, old: all.map { $0.head ?? .start }) {
          continuation.resume(returning: $0)
        })
      commit()
    }
    return try result.get()
  }

  private func commit() {
    if isCommitting { return }
    isCommitting = true
    Task {
      while !waiting.isEmpty { await commitGroup() }
      isCommitting = false
    }
  }

  /// Takes the next calls with different partitions.
  private func takeGroup() -> [Call] {
    var (group, rest, size) = ([Call](), [Call](), 0)
    var names: Set<Partition> = []
    for next in waiting {
      let own = Set(next.appends.map(\.partition))
      // Later calls for a partition stay behind the first one that waits.
      let isFirst = names.isDisjoint(with: own)
      names.formUnion(own)
      if isFirst, group.isEmpty || size < Self.groupSize {
        group.append(next)
        for append in next.appends { size += append.entries.reduce(0) { $0 + $1.count + 32 } }
      } else {
        rest.append(next)
      }
    }
    waiting = rest
    return group
  }

  private func commitGroup() async {
    let group = takeGroup()
    var members: [Member] = []
    for (number, call) in group.enumerated() {
      for (append, old) in zip(call.appends, call.old) {
        var end = old
        let heads = append.entries.map { entry in
          end = end.after(entry)
          return end
        }
        members.append(Member(append: append, call: number, old: old, heads: heads))
      }
    }
    let queries = queries(of: members)
    let outcome: Job.Outcome
    do throws(ChangeLogError) { outcome = try await session.run(queries) } catch {
      for next in group { next.complete(.failure(error)) }
      return
    }
    // The statement that reads the heads is the one before the last.
    let rows = outcome.replies[queries.count - 2]
    var places: [[UInt8]: Int] = [:]
    for row in 0..<rows.count { places[rows.bytes(row, 0) ?? []] = row }
    var rest = members[...]
    for call in group {
      var (next, new, isMoved, failure) = (call, [LogHead](), false, ChangeLogError?.none)
      for index in call.appends.indices {
        guard let member = rest.popFirst() else { break }
        new.append(member.new)
        let row = places[member.name]
        let head = row.map { LogHead(rows, $0, 1) } ?? .start
        // Sent before, on a connection that ended: the log has the entries if it has the chain after the last.
        let isThere =
          outcome.isRepeated && !member.heads.isEmpty
          && row.flatMap { rows.integer($0, 3) } == Int64(bitPattern: member.new.chain)
        if head == member.old || isThere { continue }
        (isMoved, next.old[index]) = (true, head)
        if member.append.head != nil, failure == nil {
          failure = .headMoved(member.append.partition, to: head)
        }
      }
      if let failure {
        call.complete(.failure(failure))
      } else if isMoved {
        // Only logs that may have any head have another one.
        waiting.insert(next, at: 0)
      } else {
        call.complete(.success(new))
      }
    }
  }

  /// Returns the statements that append a group; the one before the last reads the heads.
  private func queries(of members: [Member]) -> [Query] {
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
      })
    return queries
  }
}
