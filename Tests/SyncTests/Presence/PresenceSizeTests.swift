import SignalsSync
import Testing

/// As many users as a node has.
@Suite struct `Presence, many users` {
  /// In release 100,000 users.
  @Test func `Many users join, change, are sent and expire`() throws {
    let count = 5_000 * effort
    var table = PresenceTable.forTest(limits: PresenceLimits(users: count))
    for number in 0..<count {
      try table.heartbeat(of: "user \(number)", device: "phone", at: .milliseconds(number / 10))
    }
    #expect(throws: PresenceError.tooManyUsers(user: "one more", limit: count)) {
      try table.heartbeat(of: "one more", device: "phone", at: .zero)
    }
    var view = PresenceView()
    view.apply(try table.nextDifference())
    #expect(view.present.count == count)
    #expect(view.present.digest == table.present.digest)
    for number in stride(from: 0, to: count, by: 2) {
      try table.heartbeat(of: "user \(number)", device: "phone", payload: [1], at: .seconds(20))
    }
    let second = try table.nextDifference()
    #expect(second.changes.updated.count == count / 2)
    view.apply(second)
    #expect(table.advance(to: .seconds(40)).count == count / 2)
    view.apply(try table.nextDifference())
    #expect(view.present.count == count / 2)
    #expect(view.present["user 1"] == nil)
    #expect(view.present["user 2"]?.payload == [1])
    #expect(view.present == table.snapshot().present)
    #expect(table.advance(to: .seconds(50)).count == count / 2)
    view.apply(try table.nextDifference())
    #expect(view.present.isEmpty)
    #expect(view.present.digest == 0)
  }
}
