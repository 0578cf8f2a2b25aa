import SignalsSync
import TestSupport
import Testing

/// Expiry, with times that the test chooses.
@Suite struct `Presence, expiry` {
  @Test func `a device expires three windows after its last heartbeat`() throws {
    var table = PresenceTable.forTest()
    try table.heartbeat(of: "ann", device: "phone", at: .seconds(1))
    try table.heartbeat(of: "ann", device: "phone", at: .seconds(5))
    #expect(table.nextDeadline == .seconds(35))
    #expect(table.advance(to: .seconds(35) - .nanoseconds(1)) == [])
    #expect(table.present.names == ["ann"])
    #expect(table.advance(to: .seconds(35)) == [PresenceDevice(user: "ann", name: "phone")])
    #expect(table.present.isEmpty)
    #expect(table.nextDeadline == nil)
  }

  @Test func `a heartbeat at the exact deadline is in time if it comes before the advance`() throws
  {
    var table = PresenceTable.forTest()
    try table.heartbeat(of: "ann", device: "phone", at: .zero)
    #expect(try table.heartbeat(of: "ann", device: "phone", at: .seconds(30)) == false)
    #expect(table.advance(to: .seconds(30)) == [])
    #expect(table.nextDeadline == .seconds(60))
  }

  @Test func `a heartbeat after the advance joins again, unseen within a batch`() throws {
    var table = PresenceTable.forTest()
    try table.heartbeat(of: "ann", device: "phone", at: .zero)
    _ = table.takeDifference()
    #expect(table.advance(to: .seconds(30)).count == 1)
    #expect(try table.heartbeat(of: "ann", device: "phone", at: .seconds(30)) == true)
    #expect(table.takeDifference() == nil)
  }

  @Test func `devices expire in the order of their deadlines`() throws {
    var table = PresenceTable.forTest()
    for (second, name) in ["a", "b", "c", "d"].enumerated() {
      try table.heartbeat(of: name, device: "phone", at: .seconds(second))
    }
    try table.heartbeat(of: "b", device: "phone", at: .seconds(4))
    #expect(table.advance(to: .seconds(32)).map(\.user) == ["a", "c"])
    #expect(table.nextDeadline == .seconds(33))
    #expect(table.advance(to: .seconds(100)).map(\.user) == ["d", "b"])
  }

  @Test func `a user stays while one of its devices does`() throws {
    var table = PresenceTable.forTest()
    try table.heartbeat(of: "ann", device: "phone", payload: .text("p"), at: .zero)
    try table.heartbeat(of: "ann", device: "tablet", payload: .text("t"), at: .zero)
    try table.heartbeat(of: "ann", device: "phone", at: .seconds(2))
    #expect(table.advance(to: .seconds(31)).map(\.name) == ["tablet"])
    #expect(table.present.texts == ["ann": "p"])
  }

  @Test func `a clock that goes back neither expires nor revives a device`() throws {
    var table = PresenceTable.forTest()
    try table.heartbeat(of: "ann", device: "phone", at: .seconds(100))
    try table.heartbeat(of: "bob", device: "phone", at: .seconds(40))
    #expect(table.nextDeadline == .seconds(130))
    #expect(table.advance(to: .seconds(-500)) == [])
    try table.heartbeat(of: "cid", device: "phone", at: .seconds(110))
    try table.heartbeat(of: "ann", device: "phone", at: .seconds(3))
    #expect(table.advance(to: .seconds(130)).map(\.user) == ["bob"])
    #expect(table.advance(to: .seconds(140)).map(\.user) == ["cid", "ann"])
  }

  @Test func `an advance sets the earliest time of a heartbeat`() throws {
    var table = PresenceTable.forTest()
    table.advance(to: .seconds(50))
    try table.heartbeat(of: "ann", device: "phone", at: .seconds(1))
    #expect(table.nextDeadline == .seconds(80))
  }

  @Test func `times may be negative`() throws {
    var table = PresenceTable.forTest()
    try table.heartbeat(of: "ann", device: "phone", at: .seconds(-100))
    #expect(table.nextDeadline == .seconds(-70))
    #expect(table.advance(to: .seconds(-70)).count == 1)
  }

  @Test func `a time far ahead expires all devices`() throws {
    var table = PresenceTable.forTest()
    for name in ["a", "b"] { try table.heartbeat(of: name, device: "phone", at: .zero) }
    #expect(table.advance(to: .seconds(Int64.max)).count == 2)
    #expect(table.advance(to: .seconds(Int64.max)) == [])
  }

  @Test func `a longer window applies to devices that are present`() throws {
    var table = PresenceTable.forTest()
    try table.heartbeat(of: "ann", device: "phone", at: .zero)
    table.window = .seconds(60)
    #expect(table.nextDeadline == .seconds(180))
    #expect(table.advance(to: .seconds(179)) == [])
    table.window = .seconds(1)
    #expect(table.advance(to: .seconds(179)).count == 1)
  }

  @Test func `the slots of devices that are gone are used again`() throws {
    var table = PresenceTable.forTest()
    for round in 0..<100 {
      for user in 0..<10 {
        try table.heartbeat(of: "\(round)-\(user)", device: "phone", at: .seconds(round * 40))
      }
      #expect(table.advance(to: .seconds(round * 40 + 30)).count == 10)
    }
    #expect(table.devices.slotCount == 11)
  }

  @Test func `a window that isn't positive stops the program with a message`() async {
    let made = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = PresenceTable(window: .zero)
    }
    expectError(made, "Signals: PresenceTable(window: 0.0 seconds): a window must be positive")
    let set = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var table = PresenceTable()
      table.window = .seconds(-1)
    }
    expectError(set, "Signals: PresenceTable(window: -1.0 seconds): a window must be positive")
  }
}
