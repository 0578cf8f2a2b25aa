// The tasks of a partition: one reads the log and follows it, the other appends what was made here.
// They run on any executor, and hold the partition only while they are on its actor.

internal import Signals

/// A partition that a task doesn't keep.
private struct PartitionReference: Sendable {
  weak let place: PartitionReplica?
  let actor: WeakActor
  let log: any ChangeLog
  let partition: Partition
  let sleep: @Sendable (_ attempt: Int) async -> Void

  /// Runs a closure with the partition, on its actor; nil if it has been released.
  @discardableResult
  func run<Result: Sendable>(
    _ body: @Sendable (PartitionReplica) -> Result
  ) async -> Result? {
    guard let place, let actor = actor.actor else { return nil }
    return await Self.run(on: actor, place, body)
  }

  private static func run<Result: Sendable>(
    on actor: isolated any Actor, _ place: PartitionReplica,
    _ body: @Sendable (PartitionReplica) -> Result
  ) async -> Result {
    body(place)
  }
}

extension PartitionReplica {
  func start() {
    guard let sleep = replica?.sleep else { return }
    let reference = PartitionReference(
      place: self, actor: actor, log: log, partition: partition, sleep: sleep)
    pulling = Task { await Self.pull(reference) }
    if pushing == nil {
      let changes = changes
      pushing = Task { await Self.push(reference, changes) }
    }
  }

  /// Loads the partition again.
  func restart() {
    pulling?.cancel()
    head = nil
    start()
  }

  // MARK: - Reading

  /// Loads the partition and follows the log, until the task is cancelled or trying again is useless.
  private static func pull(_ reference: PartitionReference) async {
    var attempt = 0
    while !Task.isCancelled {
      do throws(ReplicaError) {
        guard var reader = try await load(reference) else { return }
        attempt = 0
        try await follow(reference, &reader)
        return
      } catch {
        guard case .log(let cause) = error, cause.mayPass else {
          await reference.run { $0.fail(error) }
          return
        }
        // A truncated log isn't one that can't be reached.
        if !cause.isAboutPosition { await reference.run { $0.replica?.isOnline = false } }
        if attempt > 0 || !cause.isAboutPosition { await reference.sleep(attempt) }
        attempt += 1
      }
    }
  }

  /// Reads the snapshot and all entries, and makes the store show them.
  ///
  /// - Returns: The reader at the end of what was read; nil if the partition was released.
  private static func load(
    _ reference: PartitionReference
  ) async throws(ReplicaError) -> PartitionReader? {
    let contents = try await read(reference.partition, in: reference.log) { progress in
      await reference.run { place in
        place.state.value = .loading(progress: progress, previous: place.state.value.value)
      }
    }
    guard let contents else { return nil }
    let isDone = await reference.whenPossible { try $0.load(contents) }
    return isDone ? PartitionReader(reference.partition, after: contents.head) : nil
  }

  /// Reads the snapshot and all entries of a partition.
  ///
  /// - Parameters:
  ///   - partition: The partition.
  ///   - log: The log.
  ///   - report: Receives the fraction that was read.
  /// - Returns: What was read; nil if the task was cancelled.
  static func read(
    _ partition: Partition, in log: any ChangeLog, report: (Double) async -> Void = { _ in }
  ) async throws(ReplicaError) -> LoadedPartition? {
    var contents = LoadedPartition()
    let snapshot = try await asking { () throws(ChangeLogError) in
      try await log.snapshot(of: partition)
    }
    if let snapshot {
      contents.head = snapshot.head
      do throws(WireError) {
        contents.snapshot = try PartitionSnapshot(snapshot.bytes)
      } catch {
        throw .damaged(partition, snapshot.head.position, reason: "\(error)")
      }
    }
    let start = contents.head.position
    let end = try await asking { () throws(ChangeLogError) in
      try await log.head(of: partition).position
    }
    var reader = PartitionReader(partition, after: contents.head)
    while reader.head.position < end {
      let position = reader.head.position
      let entries = try await asking { () throws(ChangeLogError) in
        try await log.entries(of: partition, from: position, limit: 1_000)
      }
      if entries.isEmpty { break }
      contents.sets += try reader.read(entries)
      let done = start.distance(to: reader.head.position)
      await report(Double(done) / Double(start.distance(to: end)))
      if Task.isCancelled { return nil }
    }
    contents.head = reader.head
    return contents
  }

  /// Merges the entries that are appended, until the task is cancelled.
  private static func follow(
    _ reference: PartitionReference, _ reader: inout PartitionReader
  ) async throws(ReplicaError) {
    var batches = reference.log.tail(of: reference.partition, from: reader.head.position)
      .makeAsyncIterator()
    while true {
      let batch: [LogEntry]?
      do throws(ChangeLogError) { batch = try await batches.next() } catch { throw .log(error) }
      guard let batch else { return }
      let sets = try reader.read(batch)
      let head = reader.head
      guard await reference.whenPossible({ try $0.merge(sets, upTo: head) }) else { return }
    }
  }

  private static func asking<Result: Sendable>(
    _ call: () async throws(ChangeLogError) -> Result
  ) async throws(ReplicaError) -> Result {
    do throws(ChangeLogError) { return try await call() } catch { throw .log(error) }
  }

  // MARK: - Appending

  /// Appends what was made here, until the task is cancelled.
  private static func push(_ reference: PartitionReference, _ changes: AsyncStream<Void>) async {
    var signals = changes.makeAsyncIterator()
    var coder = ChangeSetEntryCoder()
    var attempt = 0
    while !Task.isCancelled {
      guard let unsent = await reference.run({ $0.takeUnsent(limit: 256) }) else { return }
      guard let first = unsent.first else {
        if await signals.next() == nil { return }
        continue
      }
      let entries = unsent.map { coder.encode($0) }
      do throws(ChangeLogError) {
        try await reference.log.append(entries, to: reference.partition)
        await reference.run { $0.replica?.isOnline = true }
        attempt = 0
      } catch {
        if case .refused(_, let index, let reason) = error, unsent.indices.contains(index) {
          let sequence = unsent[index].sequence
          await reference.run { $0.refuse(sequence, from: first.sequence, reason: reason) }
        } else {
          await reference.run { place in
            place.resend(from: first.sequence)
            place.replica?.isOnline = false
          }
          await reference.sleep(attempt)
          attempt += 1
        }
      }
    }
  }
}

extension PartitionReference {
  /// Runs a closure with the partition, on its actor, when no transaction is open.
  ///
  /// Errors of the app's effects, which a merge has set off, go to the store's handler: the merge is
  /// done.
  ///
  /// - Returns: Whether it has run; not if the partition was released.
  fileprivate func whenPossible(
    _ body: @Sendable (PartitionReplica) throws -> Bool
  ) async -> Bool {
    while !Task.isCancelled {
      let isDone = await run { place in
        if Task.isCancelled { return true }
        do { return try body(place) } catch {
          place.replica?.store.onRefusal(error)
          return true
        }
      }
      guard let isDone else { return false }
      if isDone { return !Task.isCancelled }
      await Task.yield()
    }
    return false
  }
}

extension ChangeLogError {
  /// Whether the call can succeed later, or by beginning at the snapshot.
  fileprivate var mayPass: Bool {
    switch self {
    case .truncated, .beyondHead, .headMoved, .locked, .noSpace, .system, .closed: true
    case .notBeyondHead, .notCovered, .otherHistory, .tooLarge, .nameTooLarge, .damaged,
      .otherVersion, .refused:
      false
    }
  }

  /// Whether the log doesn't have the entries any more that follow those that were read.
  fileprivate var isAboutPosition: Bool {
    switch self {
    case .truncated, .beyondHead: true
    default: false
    }
  }
}
