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
    /// Whether it was sent before, to another database.
    var isRepeated: Bool
    let complete: (Result<[LogHead], DatabaseError>) -> Void
  }

  private let session: Session
  private var waiting: [Call] = []
  private var isCommitting = false

  init(_ session: Session) { self.session = session }

  /// The size of a group after which the next append waits for another one, in bytes.
  private static let groupSize = 1 << 24

  /// Appends entries to all partitions, or to none.
  ///
  /// - Parameters:
  ///   - all: The entries.
  ///   - tried: The heads at which another database has perhaps appended them.
  /// - Returns: The heads after the entries.
  func append(
    _ all: [LogAppend], tried: [LogHead]?
  ) async throws(DatabaseError) -> [LogHead] {
    if all.isEmpty { return [] }
    let result = await withCheckedContinuation { continuation in
      waiting.append(
        Call(
          appends: all, old: tried ?? all.map { $0.head ?? .start }, isRepeated: tried != nil
        ) { continuation.resume(returning: $0) })
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
    let calls = takeGroup()
    let group = AppendGroup(
      members: calls.enumerated().flatMap { number, call in
        zip(call.appends, call.old).map {
          .init($0, at: $1, call: number, isRepeated: call.isRepeated)
        }
      })
    let queries = group.queries(isNotifying: true)
    let outcome: Job.Outcome
    do throws(DatabaseError) { outcome = try await session.run(queries) } catch {
      for next in calls { next.complete(.failure(error)) }
      return
    }
    let results = group.results(outcome.replies[queries.count - 2], isRepeated: outcome.isRepeated)
    var rest = Array(zip(group.members, results))[...]
    for call in calls {
      var (next, new, isMoved, failure) = (call, [LogHead](), false, DatabaseError?.none)
      for index in call.appends.indices {
        guard let (member, result) = rest.popFirst() else { break }
        new.append(member.new)
        switch result {
        case .matched: break
        case .moved(let number):
          let tried = outcome.isRepeated || call.isRepeated ? call.old : nil
          failure = failure ?? .moved(member.append.partition, to: number, tried: tried)
        case .movedHead(let head):
          (isMoved, next.old[index]) = (true, head)
          if member.append.head != nil {
            failure = failure ?? .failed(.headMoved(member.append.partition, to: head))
          }
        }
      }
      if let failure {
        call.complete(.failure(failure))
      } else if isMoved {
        // Only logs that may have any head have another one.
        next.isRepeated = false
        waiting.insert(next, at: 0)
      } else {
        call.complete(.success(new))
      }
    }
  }
}
