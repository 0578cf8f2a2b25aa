// Stores that share a partition: a server and its replicas in one process, on one actor.

import Signals
import SignalsSync

/// A shared list of tracks.
final class Playlist: Object {
  @PrimaryKey var id = 0
  @Field var owner = 0
  @Links var tracks: List<SharedTrack>
}

final class SharedTrack: Object {
  @Field var playlist = 0
  @Field var title = ""
  @Field var plays = 0
  @Field var rating = 0.0
  @Field var isLiked = false

  convenience init(_ number: Int, in playlist: Int = 1) {
    self.init()
    (self.playlist, title, plays) = (playlist, "track number \(number)", number)
  }
}

/// Commits here, and the same objects there.
@MainActor enum SyncSuite {
  static func run(_ report: Report) async throws {
    try await commits(report)
    try await partitions(report)
    try await together(report)
    try await facts(report)
    try await lists(report)
    try await joins(report)
  }

  /// A commit without a server, beside one of a store that isn't shared, and until another replica has
  /// it.
  private static func commits(_ report: Report) async throws {
    let runs = report.isQuick ? 20 : 10_000
    let alone = Store(undoLimit: 0)
    let (track, shared) = (SharedTrack(1), SharedTrack(1))
    try alone.add(track)
    let sharing = try await Sharing(2)
    try sharing.replicas[0].store.add(shared)
    try await sharing.settle { sharing.isEqual(SharedTrack.self, 1) }
    let other = sharing.replicas[1].store.results(SharedTrack.self).first
    var times: [Double] = []
    for run in 0..<min(runs, 1_000) {
      let start = processTime()
      try sharing.replicas[0].store.write { shared.plays = -run - 1 }
      try await sharing.settle { other?.plays == -run - 1 }
      times.append(processTime() - start)
    }
    add("a commit, until another replica has it", times.sorted()[times.count / 2], report)
    sharing.replicas[0].disconnect()
    let unshared = try timed { for run in 0..<runs { try alone.write { track.plays = run + 9 } } }
    let pending = try timed {
      for run in 0..<runs { try sharing.replicas[0].store.write { shared.plays = run + 9 } }
    }
    add("a commit of a store that isn't shared", unshared / Double(runs), report)
    add("a commit without a connection", pending / Double(runs), report)
  }

  /// A commit costs the same, however many partitions are joined.
  private static func partitions(_ report: Report) async throws {
    for count in report.isQuick ? [1, 10] : [1, 1_000] {
      let sharing = try await Sharing(2)
      for replica in sharing.replicas { for id in 2..<(count + 1) { replica.join("list=\(id)") } }
      let shared = SharedTrack(1)
      try sharing.replicas[0].store.add(shared)
      try await sharing.settle {
        sharing.isEqual(SharedTrack.self, 1)
          && sharing.replicas.allSatisfy { $0.state(of: "list=\(count)") == .joined }
      }
      let other = sharing.replicas[1].store.results(SharedTrack.self).first
      var times: [Double] = []
      for run in 0..<(report.isQuick ? 5 : 200) {
        let start = processTime()
        try sharing.replicas[0].store.write { shared.plays = -run - 1 }
        try await sharing.settle { other?.plays == -run - 1 }
        times.append(processTime() - start)
      }
      add("the same with \(count) joined partitions", times.sorted()[times.count / 2], report)
    }
  }

  /// Two replicas, with as many commits each while neither has a connection.
  private static func together(_ report: Report) async throws {
    for count in report.isQuick ? [20] : [1_000, 10_000] {
      let sharing = try await Sharing(2)
      let tracks = (0..<100).map { SharedTrack($0) }
      try sharing.replicas[0].store.add(tracks)
      try await sharing.settle { sharing.isEqual(SharedTrack.self, 100) }
      for replica in sharing.replicas {
        replica.disconnect()
        let tracks = Array(replica.store.results(SharedTrack.self))
        for run in 0..<count {
          try replica.store.write { tracks[run % 100].plays = run + 1_000 }
        }
      }
      let time = try await cost {
        for replica in sharing.replicas { replica.connect(sharing.server.connection(for: "a")) }
        try await sharing.settle { sharing.replicas.allSatisfy { $0.pendingCount == 0 } }
      }
      report.expect(sharing.isEqual(SharedTrack.self, 100), "the replicas are equal")
      add("2 x \(count) commits, then together", time, report, .milliseconds, of: 2 * count)
    }
  }

  /// Facts that a replica has missed.
  private static func facts(_ report: Report) async throws {
    let count = report.isQuick ? 20 : 10_000
    let sharing = try await Sharing(2)
    let tracks = (0..<100).map { SharedTrack($0) }
    try sharing.replicas[0].store.add(tracks)
    try await sharing.settle { sharing.isEqual(SharedTrack.self, 100) }
    sharing.replicas[1].disconnect()
    for run in 0..<count {
      try sharing.replicas[0].store.write {
        for offset in 0..<10 { tracks[(run + offset) % 100].plays = run + 1_000 }
      }
    }
    try await sharing.settle { sharing.replicas[0].pendingCount == 0 }
    let time = try await cost {
      sharing.replicas[1].connect(sharing.server.connection(for: "a"))
      try await sharing.settle { sharing.replicas[1].state(of: "list=1") == .joined }
    }
    let sums = sharing.replicas.map {
      $0.store.results(SharedTrack.self).reduce(0) { $0 + $1.plays }
    }
    report.expect(sums[0] == sums[1], "the replicas are equal")
    add("\(10 * count) fields in \(count) facts", time, report, .milliseconds, of: 10 * count)
  }

  /// Edits of one list in two replicas.
  private static func lists(_ report: Report) async throws {
    let count = report.isQuick ? 100 : 10_000
    let sharing = try await Sharing(2)
    let playlist = Playlist()
    playlist.owner = 1
    for number in 0..<count { playlist.tracks.append(SharedTrack(number)) }
    try sharing.replicas[0].store.add(playlist)
    try await sharing.settle { sharing.isEqual(SharedTrack.self, count) }
    for replica in sharing.replicas {
      replica.disconnect()
      var random = PseudoRandom()
      try replica.store.write {
        guard let list = replica.store.results(Playlist.self).first else { return }
        for number in 0..<(count / 20) {
          if number.isMultiple(of: 2) {
            let place = Int(random.next() * Double(list.tracks.count))
            list.tracks.insert(SharedTrack(-number), at: place)
          } else {
            let (from, to) = (random.next(), random.next())
            let size = Double(list.tracks.count)
            list.tracks.move(fromOffsets: [Int(from * size)], toOffset: Int(to * size))
          }
        }
      }
    }
    let time = try await cost {
      for replica in sharing.replicas { replica.connect(sharing.server.connection(for: "a")) }
      try await sharing.settle { sharing.replicas.allSatisfy { $0.pendingCount == 0 } }
    }
    let lists = sharing.replicas.map { replica in
      replica.store.results(Playlist.self).first?.tracks.map(\.objectID) ?? []
    }
    report.expect(
      lists[0] == lists[1] && lists[0].count == count + 2 * ((count / 20 + 1) / 2),
      "the lists are equal")
    add(
      "\(count / 10) inserts and moves in a list of \(count)", time, report, .milliseconds,
      of: count / 10)
  }

  /// The first join of a partition, when the server has it.
  private static func joins(_ report: Report) async throws {
    let count = report.isQuick ? 100 : 100_000
    let sharing = try await Sharing(1)
    try sharing.replicas[0].store.add((0..<count).map { SharedTrack($0) })
    try await sharing.settle { sharing.replicas[0].pendingCount == 0 }
    let time = try await cost {
      let replica = Replica(sharing: Sharing.classes)
      replica.join("list=1")
      replica.connect(sharing.server.connection(for: "a"))
      try await sharing.settle { replica.state(of: "list=1") == .joined }
      report.expect(
        replica.store.results(SharedTrack.self).count == count, "all objects have arrived")
    }
    add("the first join of \(count) objects", time, report, .milliseconds, of: count)
  }

  private static func add(
    _ name: String, _ time: Double, _ report: Report, _ unit: Row.Unit = .nanoseconds,
    of operations: Int = 1
  ) {
    report.add(Row(name: name, unit: unit, signals: time, operations: operations))
  }

  private static func cost(_ body: () async throws -> Void) async throws -> Double {
    let start = processTime()
    try await body()
    return processTime() - start
  }
}

/// A server and its replicas, which have joined the first playlist.
@MainActor private final class Sharing {
  static let classes = [
    SharedClass(Playlist.self) { "list=\($0.owner)" },
    SharedClass(SharedTrack.self) { "list=\($0.playlist)" },
  ]

  let server = SyncServer(sharing: classes)
  let replicas: [Replica]
  private let task: Task<Void, Never>

  init(_ count: Int) async throws {
    replicas = (0..<count).map { _ in Replica(sharing: Sharing.classes) }
    task = Task { [server] in await server.run() }
    for replica in replicas {
      replica.join("list=1")
      replica.connect(server.connection(for: "a"))
    }
    try await settle { replicas.allSatisfy { $0.state(of: "list=1") == .joined } }
  }

  deinit { task.cancel() }

  /// Lets the server run until a condition holds.
  func settle(_ condition: () -> Bool) async throws {
    for _ in 0..<1_000_000 {
      if condition() { return }
      await Task.yield()
    }
    throw Unsettled()
  }

  func isEqual(_ type: SharedTrack.Type, _ count: Int) -> Bool {
    replicas.allSatisfy { $0.pendingCount == 0 && $0.store.results(type).count == count }
  }
}

private struct Unsettled: Error {}
