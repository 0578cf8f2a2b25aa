// Opening the file of a replica, and keeping it.

internal import Signals

extension Replica {
  /// Opens the replica in a file, or creates an empty one in a new file.
  ///
  /// The store is as when the file was last written: the facts of the partitions that were
  /// joined, the pending commits on top, and the objects that aren't shared. Pending commits are
  /// sent once their partition is joined again.
  ///
  /// ```swift
  /// let replica = try Replica(at: "cache.store", sharing: classes)
  /// replica.connect(server.connection(for: "anna"))
  /// replica.join("board=42")
  /// ```
  ///
  /// - Each commit and each fact is in the file after an interval at the latest. Pending commits
  ///   that a crash keeps out of the file come back as facts if they were sent, and are lost
  ///   otherwise. A refusal or loss that was told shortly before may be told again.
  /// - One process at a time can open the file.
  ///
  /// - Parameters:
  ///   - path: The path of a directory, which is created if it is missing. The directory that
  ///     contains it must exist.
  ///   - classes: The shared classes.
  ///   - interval: The longest time until a commit is durable.
  /// - Throws: ``StoreFileError``. The file isn't changed.
  /// - Complexity: O(bytes of the file).
  public convenience init(
    at path: String, sharing classes: [SharedClass], interval: Duration = .milliseconds(50)
  ) throws(StoreFileError) {
    try self.init(
      at: path, sharing: classes, interval: interval, author: .random(in: 1...UInt64.max),
      smallestTail: 1 << 20, files: POSIXFileSystem(), now: WallClock.milliseconds)
  }

  package convenience init(
    at path: String, sharing classes: [SharedClass], interval: Duration, author: UInt64,
    smallestTail: Int, files: any FileSystem, now: @escaping () -> UInt64
  ) throws(StoreFileError) {
    let file = try ReplicaFile(
      at: path, interval: interval, smallestTail: smallestTail, files: files)
    let contents = try file.contents()
    self.init(sharing: classes, author: author, now: now)
    do { try ImplicitTransaction.outside { try fill(contents) } } catch {
      throw .damaged(path: path, reason: "\(error)")
    }
    file.append(author: author)
    self.file = file
  }

  private func fill(_ contents: ReplicaFile.Contents) throws {
    authors.formUnion(contents.authors)
    var answered: [Partition: [UInt64: UInt64]] = [:]
    let partitions = contents.partitions.sorted { Partition.precedes($0.key, $1.key) }
    for (name, confirmed) in partitions {
      let entry = entry(name)
      var facts: [(fact: Fact?, changes: [SharedChange])] = []
      var (names, head) = (ChangeReader(), confirmed.head)
      if let state = confirmed.state {
        let read = try read(state)
        names = read.names
        facts.append((nil, read.changes))
      }
      for bytes in confirmed.facts {
        let (fact, changes) = try Fact.read(bytes, &names, arriving: isNew)
        head = head.after(bytes)
        facts.append((fact, changes))
        if fact.author != 0 { answered[name, default: [:]][fact.author] = fact.number }
      }
      try apply(facts, of: entry, names, at: head)
    }
    try fill(local: contents.local)
    let pending = contents.submissions.filter {
      $0.submission.key.number > answered[$0.partition]?[$0.submission.key.author] ?? 0
    }
    try fill(pending)
  }

  /// Applies the changes of objects that aren't shared.
  private func fill(local: [[SharedChange]]) throws {
    if local.isEmpty { return }
    defer { didApply = nil }
    didApply = {}
    try store.write(origin: .sync, undoable: false) {
      for changes in local { try apply(exactly: changes, keys: .theirs) }
    }
    waiting = store.allWaitingLinks
  }

  /// Makes pending commits again.
  private func fill(
    _ commits: [(partition: Partition, submission: ReceivedSubmission)]
  ) throws {
    if commits.isEmpty { return }
    var submissions: [Submission] = []
    defer { didApply = nil }
    try store.write(origin: .sync, undoable: false) {
      let new = try store.netChanges {
        for (partition, commit) in commits {
          let changes = try apply(exactly: commit.changes, keys: .mine)
          submissions.append(
            Submission(
              partition: partition, author: commit.key.author, number: commit.key.number,
              base: commit.base, time: commit.time, changes: changes, failure: commit.failure))
        }
      }
      didApply = { [unowned self] in keep(submissions, overlay: new) }
    }
    didApply.take()?()
    publish()
  }

  /// Keeps a change of an object that isn't shared when the overlay is reverted.
  ///
  /// The overlay has links of such an object if they waited for pending objects when the file was opened.
  func noteUnshared(_ change: ObjectChange) {
    if let object = untracked({ store.object(change.id) }) {
      waiting.update(object, changed: change, from: store)
    }
    guard unshared.contains(change.id), var changes = overlay.first?.changes,
      let place = changes.firstIndex(where: { $0.id == change.id })
    else { return }
    let former = changes[place]
    let rest = former.properties.filter { change[$0.name] == nil }
    changes[place] = ObjectChange(
      id: former.id, kind: former.kind, properties: rest, type: former.type)
    if rest.isEmpty { changes.remove(at: place) }
    overlay[0] = ChangeSet(changes, origin: nil)
  }

  /// The error that keeps recent commits out of the file, or `nil`.
  public var problem: StoreFileError? { file?.keeper.problems.current }

  /// Waits until all commits and facts are durable, without blocking a thread.
  ///
  /// - Throws: ``StoreFileError`` if some aren't durable. See ``StoreFile/flush()``.
  public func flush() async throws(StoreFileError) {
    guard let keeper = file?.keeper else { return }
    compactIfDue(retrying: true)
    try await keeper.flushEntriesLater()
    try keeper.checkMissing()
  }

  /// Closes the connection, and the file after all commits are durable.
  ///
  /// Later commits of the store aren't saved.
  ///
  /// - Throws: ``StoreFileError`` if some commits couldn't be written.
  public func close() async throws(StoreFileError) {
    disconnect()
    compactIfDue(retrying: true)
    try await file?.keeper.close()
  }

  /// Replaces the entries of the file by the present state, if it is time.
  ///
  /// - Parameter isRetrying: Whether an attempt that failed is repeated at once.
  func compactIfDue(retrying isRetrying: Bool = false) {
    guard let file, file.isDue(retrying: isRetrying), store.isIdle else { return }
    // The facts before pending commits are in the file alone.
    if !pending.isEmpty, !file.hasFacts { return }
    let (tail, submissions) = (file.tail, pending)
    let kept = Set(submissions.lazy.map(\.partition))
    let joined = partitions.values.filter { $0.facts > 0 && !kept.contains($0.partition) }
    // A later version of the app reads what this one can't.
    if joined.contains(where: \.names.hasUnknown) { return }
    do throws(StoreFileError) {
      var states: [(name: Partition, head: LogHead, state: [UInt8])] = []
      for entry in joined {
        let names = ChangeWriter(after: entry.names)
        var writer = ByteWriter()
        try PartitionAnswers().write(to: &writer)
        writer.write(
          contentsOf: try table.state(of: entry.partition, in: store, names))
        states.append((entry.partition, entry.head, writer.bytes))
      }
      let local = store.objectsInOrder.filter { table.partition(of: $0.objectID) == nil }
      let former = authors.subtracting([author]).sorted()
      try file.replace(
        since: tail, authors: former + [author], states: states, local: local, of: store,
        pending: submissions)
    } catch {
      file.keeper.problems.note(error, .value)
    }
  }
}
