// A replica of the tests, and a log that can be out of reach.

internal import Signals
internal import SignalsSync
internal import Synchronization
internal import Testing

/// A store that shares the classes of these tests through a log.
@MainActor
final class Member {
  let store = Store()
  let replica: Replica

  init(_ number: UInt64, _ log: any ChangeLog) {
    replica = Replica(
      store, log: log,
      sharing: [
        SharedClass(Page.self) { Partition(String($0.title.prefix { $0 != "/" })) },
        SharedClass(Part.self), SharedClass(Note.self, in: "a"), SharedClass(Tag.self, in: "a"),
      ],
      as: ReplicaID(rawValue: number), wall: { 1_700_000_000_000 }
    ) { _ in await Task.yield() }
  }

  /// Adds a page with a title; the part before the stroke is its partition.
  @discardableResult
  func add(_ title: String, in partition: String) throws -> Page {
    let page = Page()
    page.title = "\(partition)/\(title)"
    try store.add(page)
    return page
  }

  func join(_ partition: Partition) async throws { try await replica.join(partition) }

  func page(_ title: String) -> Page? {
    pages.first { $0.title.hasSuffix("/\(title)") }
  }

  private var pages: [Page] { store.storedObjects.compactMap { $0 as? Page } }

  var titles: [String] { pages.map { String($0.title.drop { $0 != "/" }.dropFirst()) }.sorted() }

  /// What can be seen of the objects.
  var visible: [String] {
    store.storedObjects.map { Visible.describe($0) { "\($0.objectID)" } }.sorted()
  }

  /// Waits until this store shows what another one does.
  func reaches(_ other: Member) async throws { try await eventually { self.visible == other.visible } }

  /// Waits until a condition holds; a test that waits in vain fails with its limit.
  func eventually(
    _ condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    for _ in 0..<200_000 {
      if condition() { return }
      await Task.yield()
    }
    Issue.record("this didn't happen: \(visible)", sourceLocation: sourceLocation)
  }
}

/// A log that can be out of reach, and that refuses sets.
final class GatedLog: ChangeLog {
  private struct Gate {
    var isOpen = true
    var refuses: @Sendable (SharedChangeSet) -> Bool = { _ in false }
  }
  private let log: any ChangeLog
  private let gate = Mutex(Gate())

  init(_ log: any ChangeLog) { self.log = log }

  var isOpen: Bool {
    get { gate.withLock { $0.isOpen } }
    set { gate.withLock { $0.isOpen = newValue } }
  }

  var refuses: @Sendable (SharedChangeSet) -> Bool {
    get { gate.withLock { $0.refuses } }
    set { gate.withLock { $0.refuses = newValue } }
  }

  private func check() throws(ChangeLogError) {
    if !isOpen { throw .system(path: "test", call: "connect", code: 111) }
  }

  func head(of partition: Partition) async throws(ChangeLogError) -> LogHead {
    try check()
    return try await log.head(of: partition)
  }

  func append(
    _ entries: [[UInt8]], to partition: Partition, expecting head: LogHead?
  ) async throws(ChangeLogError) -> LogHead {
    try check()
    var coder = ChangeSetEntryCoder()
    for (index, entry) in entries.enumerated() {
      guard let set = try? coder.decode(entry), refuses(set) else { continue }
      throw .refused(partition, index: index, reason: "no")
    }
    return try await log.append(entries, to: partition, expecting: head)
  }

  func entries(
    of partition: Partition, from position: LogPosition, limit: Int
  ) async throws(ChangeLogError) -> [LogEntry] {
    try check()
    return try await log.entries(of: partition, from: position, limit: limit)
  }

  /// Returns at the latest when the log is out of reach.
  func waitForEntries(
    of partition: Partition, after position: LogPosition
  ) async throws(ChangeLogError) {
    while try await log.head(of: partition).position <= position, isOpen, !Task.isCancelled {
      await Task.yield()
    }
    try check()
  }

  func snapshot(of partition: Partition) async throws(ChangeLogError) -> LogSnapshot? {
    try check()
    return try await log.snapshot(of: partition)
  }

  func storeSnapshot(
    _ snapshot: LogSnapshot, of partition: Partition
  ) async throws(ChangeLogError) {
    try check()
    try await log.storeSnapshot(snapshot, of: partition)
  }

  func start(
    _ partition: Partition, from snapshot: LogSnapshot, expecting head: LogHead?
  ) async throws(ChangeLogError) {
    try check()
    try await log.start(partition, from: snapshot, expecting: head)
  }

  func truncate(
    _ partition: Partition, before position: LogPosition
  ) async throws(ChangeLogError) {
    try check()
    try await log.truncate(partition, before: position)
  }

  func partitions() async throws(ChangeLogError) -> [Partition] {
    try check()
    return try await log.partitions()
  }
}
