import BrowserTesting
import ChatServer
import Foundation
import Testing

/// Processes as a user starts them: a server, and terminals without a screen.
@Suite(.timeLimit(.minutes(3))) struct `The chat as processes` {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())").path

  /// Starts a server with sample people, or starts it again at the same port.
  private func server(port: Int? = nil) async throws -> (program: Program, port: Int) {
    // A free port; another process may take it before the server does, and then this one ends.
    for _ in 0..<5 {
      let port = port ?? .random(in: 20_000..<40_000)
      do {
        return try await Program.start(
          Program.path("chat"),
          ["serve", "--port", "\(port)", "--sample", "--data", "\(folder)/server"],
          until: "listening on 127.0.0.1:(\\d+)")
      } catch is Program.Silence { continue }
    }
    throw CocoaError(.featureUnsupported)
  }

  private func terminal(_ user: String, at port: Int) throws -> LineProgram {
    try LineProgram(
      Program.path("chat"),
      [
        "--plain", "--server", "http://127.0.0.1:\(port)", "--user", user, "--data",
        "\(folder)/devices",
      ])
  }

  private func signIn(_ user: String, at port: Int) async throws -> LineProgram {
    let terminal = try terminal(user, at: port)
    try await terminal.expect("Sign in")
    try await terminal.say("type password \(SamplePeople.password)", "tap sign-in")
    try await terminal.say("wait Sample chat", "tap Sample chat")
    try await terminal.expect("Has anyone seen the glove puppet?")
    return terminal
  }

  @Test func `three terminals and a server, one offline, one killed, and the server killed too`()
    async throws
  {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var (server, port) = try await server()
    let rod = try await signIn("rod", at: port)
    var freddy = try await signIn("freddy", at: port)
    try await rod.say("type message from rod", "submit message")
    try await freddy.say("wait from rod")
    try await freddy.expect("Rod Burton  from rod")
    // Messages without a connection stay, also when the process is killed.
    try await freddy.say("offline", "type message from the train", "submit message")
    try await freddy.expect("from the train")
    try await freddy.expect("not sent")
    try await freddy.say("type message half a sentence")
    try await freddy.expect("half a sentence")
    // Everything is in the file after 50 ms at the latest.
    try await Task.sleep(for: .milliseconds(200))
    freddy.kill()
    try await rod.say("type message while freddy is away", "submit message")
    try await rod.expect("while freddy is away")
    server.kill()
    try await rod.say("type message to nobody", "submit message")
    try await rod.expect("not sent")
    (server, port) = try await self.server(port: port)
    freddy = try terminal("freddy", at: port)
    try await freddy.say("wait half a sentence", "wait to nobody", "wait from the train")
    try await freddy.expect("Message: [half a sentence]")
    try await rod.say("wait from the train")
    // One order everywhere, and each message once.
    try await rod.say("tap members", "tap members")
    let own = ["from rod", "while freddy is away", "to nobody", "from the train"]
    func order(_ text: String) -> [String] {
      text.split(separator: "\n").compactMap { line in own.first { line.contains("  \($0)  ") } }
    }
    try await rod.say("wait from the train")
    try await freddy.say("tap members", "tap members")
    let (one, other) = (try await rod.lastAnswer(), try await freddy.lastAnswer())
    #expect(order(one).sorted() == own.sorted())
    #expect(order(one) == order(other))
    server.terminate()
    for terminal in [rod, freddy] { terminal.kill() }
  }
}

/// A program that answers lines.
///
/// Unchecked, and safe: one test uses it, and the text is behind a lock.
private final class LineProgram: @unchecked Sendable {
  private let process = Process()
  private let (input, output) = (Pipe(), Pipe())
  private let lock = NSLock()
  private var said = ""
  private var count = 0

  init(_ path: String, _ arguments: [String]) throws {
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    output.fileHandleForReading.readabilityHandler = { [weak self] handle in
      let data = handle.availableData
      guard let self, !data.isEmpty else { return handle.readabilityHandler = nil }
      lock.withLock { self.said += String(decoding: data, as: UTF8.self) }
    }
    try process.run()
  }

  deinit { kill() }

  func kill() { if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) } }

  /// The text since the last line that was answered.
  private var recent: String { lock.withLock { said } }

  /// Sends lines, and waits until each is answered.
  func say(_ lines: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws {
    for line in lines {
      lock.withLock { said = "" }
      try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
      try await expect("> \(line)\n", sourceLocation: sourceLocation)
      #expect(!recent.contains("\nerror:"), "\(recent)", sourceLocation: sourceLocation)
    }
  }

  /// Waits until the answer has a text.
  func expect(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    for _ in 0..<2_000 {
      if recent.contains(text), recent.hasSuffix("\n\n") { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    try #require(Bool(false), "\(text) isn't in:\n\(recent)", sourceLocation: sourceLocation)
  }

  func lastAnswer() async throws -> String {
    try await Task.sleep(for: .milliseconds(100))
    return recent
  }
}
