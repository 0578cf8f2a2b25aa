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
  /// What was refused last.
  @Signal private var problem = ""
  private let path: String
  private var connecting: Task<Void, Never>?
  private var serving: Task<Void, Never>?
  private var tokens: [any Cancellable] = []

  private static let partition = "scrums"
  private static let classes = [SharedClass(DailyScrum.self) { _ in partition }]

  /// Shares the file at a path; `copy` is the file of this terminal, without which it forgets everything when it ends.
  private init(_ path: String, copy: String?) throws {
    self.path = path
    replica = try KeptStore.opening(copy ?? "") { () throws(StoreFileError) in
      try copy.map { path throws(StoreFileError) in try Replica(at: path, sharing: Self.classes) }
        ?? Replica(sharing: Self.classes)
    }
    replica.join(Self.partition)
    tokens.append(replica.refusals.sink { [unowned self] in problem = "refused: \($0.reason)" })
  }

  /// Runs an app on shared scrums; at the end, waits a moment for what isn't sent yet.
  static func run(
    at path: String, copy: String?, _ app: (SharedScrums) async throws -> Void
  ) async throws {
    let shared = try SharedScrums(path, copy: copy)
    shared.isConnecting = true
    try await app(shared)
    for _ in 0..<100 where shared.replica.isOnline && shared.replica.pendingCount > 0 {
      try await Task.sleep(for: .milliseconds(20))
    }
    let left = shared.replica.pendingCount
    shared.isConnecting = false
    await shared.serving?.value
    try await shared.replica.close()
    if left > 0, copy == nil { throw Failure(status: 75, "\(left) changes weren't sent") }
  }

  /// Whether the terminal is connected, or tries to be.
  var isConnecting: Bool {
    get { connecting != nil }
    set {
      for task in [connecting, serving] { task?.cancel() }
      replica.disconnect()
      connecting =
        newValue ? Task { [self] in await replica.stayConnected { try await connect() } } : nil
    }
  }

  /// What the user should know; a read is a dependency.
  var status: String {
    if case .refused(let reason) = replica.state(of: Self.partition) {
      return "not shared: \(reason)"
    }
    if case .offline(let reason?) = replica.delay {
      return "\(replica.pendingCount) not sent: \(reason)"
    }
    return replica.isOnline ? problem : "offline, \(replica.pendingCount) not sent"
  }

  /// Does what a line asks for if that is about sharing; `wait TEXT` waits until the text is shown, or 30 seconds.
  func perform(_ line: String, on session: Session) async throws -> Bool {
    switch line.split(separator: " ", maxSplits: 1).map(String.init) {
    case ["offline"]: isConnecting = false
    case ["online"]: isConnecting = true
    case let words where words.count == 2 && words[0] == "wait":
      for _ in 0..<1_500 where !session.text.contains(words[1]) && !status.contains(words[1]) {
        try await Task.sleep(for: .milliseconds(20))
      }
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
    let isNew = !FileManager.default.fileExists(atPath: path)
    let server: SyncServer
    do { server = try SyncServer(at: path, sharing: Self.classes) } catch .alreadyOpen { return }
    let socket = try UnixSocket(at: path + ".socket", listening: true)
    if isNew { try Scrums.seed(replica.store) }
    serving = Task {
      let running = Task { await server.run() }
      for await other in socket.connections {
        Task {
          defer { other.close() }
          try await server.serve(NSUserName(), receiving: other.chunks, sending: other.send)
        }
      }
      running.cancel()
      unsafe unlink(path + ".socket")
      try? await server.close()
      serving = nil
    }
  }
}
