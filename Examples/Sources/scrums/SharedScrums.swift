// Several terminals that share scrums.
//
// Order of events: a terminal that finds the file free opens it, and serves it over a socket beside it. All terminals
// connect to the socket. When the terminal that serves ends, or goes offline, the connections end too; the first terminal
// that tries again opens the file.

import Foundation
import ScrumsApp
import ScrumsModel
import Shell
import Signals
import SignalsSync

/// The scrums of a file that several terminals have open at once.
@MainActor
final class SharedScrums {
  let replica: Replica
  /// What was refused or lost since the last change here.
  @Signal private var news = ""
  private let path: String
  @Signal private var connecting: Task<Void, Never>? = nil
  private var serving: Task<Void, Never>?
  private var tokens: [any Cancellable] = []

  private static let partition = "scrums"
  private static let classes = [SharedClass(DailyScrum.self) { _ in partition }]

  /// Shares the file at a path; `copy` is the file of this terminal, without which it forgets everything when it ends.
  private init(_ path: String, copy: String?) throws {
    // The terminals may spell it differently.
    self.path = URL(filePath: path).resolvingSymlinksInPath().path
    replica = try KeptStore.opening(copy ?? "") { () throws(StoreFileError) in
      try copy.map { path throws(StoreFileError) in try Replica(at: path, sharing: Self.classes) }
        ?? Replica(sharing: Self.classes)
    }
    replica.join(Self.partition)
    tokens = [
      replica.refusals.sink { [unowned self] in news = "refused: \($0.reason)" },
      replica.losses.sink { [unowned self] in
        news = "another terminal's change of \($0.property) is later"
      },
      Effect { [unowned self] in if replica.pendingCount > 0 { news = "" } },
      Effect { [unowned self] in
        // What serves an empty file fills it.
        if replica.state(of: Self.partition) == .joined, serving != nil {
          untracked { seedIfEmpty() }
        }
      },
    ]
  }

  private func seedIfEmpty() {
    if replica.store.results(DailyScrum.self).isEmpty { try? Scrums.seed(replica.store) }
  }

  /// Runs an app on shared scrums; at the end, waits a moment for what isn't confirmed yet.
  static func run(
    at path: String, copy: String?, _ app: (SharedScrums) async throws -> Void
  ) async throws {
    let shared = try SharedScrums(path, copy: copy)
    try shared.serveIfFree()
    shared.isConnecting = true
    try await app(shared)
    for _ in 0..<100 where shared.isConnecting && shared.replica.pendingCount > 0 {
      try await Task.sleep(for: .milliseconds(20))
    }
    let left = shared.replica.pendingCount
    shared.isConnecting = false
    await shared.stopServing()
    do { try await shared.replica.close() } catch {
      throw Failure(status: 73, "not saved: \(error)")
    }
    if left > 0, copy == nil { throw Failure(status: 75, "\(left) changes weren't confirmed") }
  }

  /// Whether the terminal is connected, or tries to be.
  var isConnecting: Bool {
    get { connecting != nil }
    set {
      connecting?.cancel()
      replica.disconnect()
      if !newValue { serving?.cancel() }
      connecting =
        newValue ? Task { [self] in await replica.stayConnected { try await connect() } } : nil
    }
  }

  /// What the user should know; a read is a dependency.
  var status: String {
    let waiting = replica.pendingCount == 0 ? "" : ", \(replica.pendingCount) not sent"
    if case .refused(let reason) = replica.state(of: Self.partition) {
      return "not shared: \(reason)\(waiting)"
    }
    if !isConnecting { return "offline" + waiting }
    if !replica.isOnline { return (replica.offlineReason ?? "connecting") + waiting }
    return news.isEmpty ? replica.problem.map { "not saved: \($0)" } ?? "" : news
  }

  /// Does what a line asks for if that is about sharing; `wait TEXT` waits until the text is shown, at most 30 seconds.
  func perform(_ line: String, on session: Session) async throws -> Bool {
    switch line.split(separator: " ", maxSplits: 1).map(String.init) {
    case ["offline"]: isConnecting = false
    case ["online"]: isConnecting = true
    case let words where words.count == 2 && words[0] == "wait":
      try await wait(for: words[1]) { "\(session.text)\n\(status)" }
    default: return false
    }
    return true
  }

  /// Connects to the terminal that serves the file, which may be this one.
  private func connect() async throws {
    try serveIfFree()
    let socket = try UnixSocket(at: path + ".socket", listening: false)
    defer { socket.close() }
    try await replica.connect(receiving: socket.chunks, sending: socket.send)
  }

  /// Serves the file, unless a terminal does.
  private func serveIfFree() throws {
    if serving != nil { return }
    let free = try KeptStore.opening(path) { () throws(StoreFileError) -> SyncServer? in
      do throws(StoreFileError) {
        return try SyncServer(at: path, sharing: Self.classes)
      } catch .alreadyOpen {
        return nil
      }
    }
    guard let server = free else { return }
    let socket = try UnixSocket(at: path + ".socket", listening: true)
    serving = Task {
      let running = Task { await server.run() }
      for await other in socket.connections {
        Task {
          defer { other.close() }
          // All terminals are those of the user that owns the file.
          try await server.serve("team", receiving: other.chunks, sending: other.send)
        }
      }
      running.cancel()
      unsafe unlink(path + ".socket")
      try? await server.close()
      serving = nil
    }
  }

  private func stopServing() async {
    serving?.cancel()
    await serving?.value
  }
}
