import SignalsSync
import Testing

/// Heartbeats that exceed a limit.
@Suite struct `Presence, limits` {
  private let limits = PresenceLimits(payloadSize: 4, nameSize: 5, devicesPerUser: 2, users: 2)

  /// A table at its limits, and all differences it has returned.
  private func full() throws -> PresenceTable {
    var table = PresenceTable.forTest(limits: limits)
    try table.heartbeat(of: "ann", device: "1", payload: .text("four"), at: .zero)
    try table.heartbeat(of: "ann", device: "2", at: .seconds(1))
    try table.heartbeat(of: "brian", device: "phone", at: .seconds(2))
    _ = table.takeDifference()
    return table
  }

  /// Expects that a heartbeat is refused with an error, and changes nothing.
  private func expectRefusal(
    of user: String, _ device: String, payload: [UInt8]? = nil, _ error: PresenceError,
    _ message: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var table = try full()
    #expect(throws: error, sourceLocation: sourceLocation) {
      try table.heartbeat(of: user, device: device, payload: payload, at: .seconds(9))
    }
    #expect(error.description == message, sourceLocation: sourceLocation)
    #expect(table.takeDifference() == nil, sourceLocation: sourceLocation)
    #expect(table.nextDeadline == .seconds(30), sourceLocation: sourceLocation)
    #expect(table.advance(to: .seconds(32)).count == 3, sourceLocation: sourceLocation)
    #expect(table.present.isEmpty, sourceLocation: sourceLocation)
  }

  @Test func `a payload that is too large is refused`() throws {
    try expectRefusal(
      of: "ann", "1", payload: .text("fives"),
      .payloadTooLarge(user: "ann", device: "1", size: 5, limit: 4),
      "the payload of ann on 1 has 5 bytes; at most 4 are allowed")
  }

  @Test func `another device than the limit allows is refused`() throws {
    try expectRefusal(
      of: "ann", "3", .tooManyDevices(user: "ann", device: "3", limit: 2),
      "ann can't join on 3: it is present on 2 devices, the most allowed")
  }

  @Test func `another user than the limit allows is refused`() throws {
    try expectRefusal(
      of: "cid", "1", .tooManyUsers(user: "cid", limit: 2),
      "cid can't join: 2 users are present, the most allowed")
  }

  @Test func `a name that is too long is refused`() throws {
    try expectRefusal(
      of: "brigit", "1", .nameTooLong("brigit", size: 6, limit: 5),
      "the name brigit has 6 bytes; at most 5 are allowed")
    try expectRefusal(
      of: "ann", "tablet", .nameTooLong("tablet", size: 6, limit: 5),
      "the name tablet has 6 bytes; at most 5 are allowed")
    let long = String(repeating: "é", count: 100)
    try expectRefusal(
      of: long, "1", .nameTooLong(long, size: 200, limit: 5),
      "the name \(long.prefix(32))… has 200 bytes; at most 5 are allowed")
  }

  @Test func `there is room again when a device or a user has left`() throws {
    var table = try full()
    table.leave("ann", device: "2")
    try table.heartbeat(of: "ann", device: "3", at: .zero)
    table.leave("brian", device: "phone")
    try table.heartbeat(of: "cid", device: "phone", at: .zero)
    #expect(table.present.names == ["ann", "cid"])
  }

  @Test func `limits are those of this node's devices only`() throws {
    var other = PresenceTable.forTest(run: 2)
    for name in ["p", "q", "r"] {
      try other.heartbeat(of: name, device: "1", payload: .text("longer"), at: .zero)
    }
    var table = try full()
    table.apply(try other.nextDifference(for: .nodes), from: "other")
    #expect(table.present.names == ["ann", "brian", "p", "q", "r"])
  }
}
