import Foundation

/// A network of its own with a link to that of this process, which can be cut without either side learning of it.
final class Network: Sendable {
  private let name: String
  /// The address in the network.
  let server: String
  /// The address at this side of the link.
  let client: String

  private static let program = "/usr/sbin/ip"

  /// Whether this process may make networks.
  static var isPossible: Bool {
    getuid() == 0 && FileManager.default.isExecutableFile(atPath: program)
  }

  init() async throws {
    let number = Int.random(in: 0..<1 << 14)
    name = "signal\(number)"
    // Four addresses.
    let (start, last) = ("10.213.\(number >> 6)", (number & 63) << 2)
    (client, server) = ("\(start).\(last + 1)", "\(start).\(last + 2)")
    try await Self.run("netns add \(name)")
    try await Self.run("link add \(name)a type veth peer name \(name)b netns \(name)")
    try await Self.run("addr add \(client)/30 dev \(name)a")
    try await Self.run("link set \(name)a up")
    try await Self.run("-n \(name) addr add \(server)/30 dev \(name)b")
    try await Self.run("-n \(name) link set lo up")
    try await mend()
  }

  /// What starts a program in the network.
  var prefix: [String] { [Self.program, "netns", "exec", name] }

  func cut() async throws { try await Self.run("-n \(name) link set \(name)b down") }

  func mend() async throws { try await Self.run("-n \(name) link set \(name)b up") }

  /// What removes the network in a shell.
  var removal: String { "\(Self.program) netns del \(name)" }

  func remove() async throws { try await Self.run("netns del \(name)") }

  private static func run(_ words: String) async throws {
    try await PostgreSQLServer.run(
      program, words.split(separator: " ").map(String.init), isOther: false)
  }
}
