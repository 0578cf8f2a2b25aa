import SignalsSync
import TestSupport
import Testing

/// Users and their devices at one table.
@Suite struct `Presence, users and devices` {
  @Test func `a user joins with its first device and leaves with its last`() throws {
    var table = PresenceTable.forTest()
    #expect(table.present.isEmpty)
    #expect(try table.heartbeat(of: "ann", device: "phone", at: .zero) == true)
    #expect(table.takeDifference()?.changes.lines == ["+ann"])
    #expect(try table.heartbeat(of: "ann", device: "tablet", at: .zero) == true)
    #expect(table.takeDifference() == nil)
    #expect(table.leave("ann", device: "phone") == true)
    #expect(table.takeDifference() == nil)
    #expect(table.present.names == ["ann"])
    #expect(table.leave("ann", device: "tablet") == true)
    #expect(table.takeDifference()?.changes.lines == ["-ann"])
    #expect(table.present.isEmpty)
  }

  @Test func `a heartbeat says whether it added the device`() throws {
    var table = PresenceTable.forTest()
    #expect(try table.heartbeat(of: "ann", device: "phone", at: .zero) == true)
    #expect(try table.heartbeat(of: "ann", device: "phone", at: .zero) == false)
    table.advance(to: .seconds(30))
    #expect(try table.heartbeat(of: "ann", device: "phone", at: .seconds(31)) == true)
  }

  @Test func `a device that isn't present can't leave`() throws {
    var table = PresenceTable.forTest()
    try table.heartbeat(of: "ann", device: "phone", at: .zero)
    #expect(table.leave("ann", device: "tablet") == false)
    #expect(table.leave("bob", device: "phone") == false)
    #expect(table.present.names == ["ann"])
  }

  @Test func `a device name under two users is two devices`() throws {
    var table = PresenceTable.forTest()
    try table.heartbeat(of: "ann", device: "tablet", payload: .text("a"), at: .zero)
    #expect(
      try table.heartbeat(of: "bob", device: "tablet", payload: .text("b"), at: .seconds(9)) == true
    )
    #expect(table.present.texts == ["ann": "a", "bob": "b"])
    #expect(table.leave("bob", device: "tablet") == true)
    #expect(table.present.texts == ["ann": "a"])
    #expect(table.advance(to: .seconds(30)) == [PresenceDevice(user: "ann", name: "tablet")])
  }

  @Test func `the payload is the one that a present device has set last`() throws {
    var table = PresenceTable.forTest()
    try table.heartbeat(of: "ann", device: "phone", payload: .text("away"), at: .zero)
    try table.heartbeat(of: "ann", device: "tablet", at: .zero)
    #expect(table.present.texts == ["ann": "away"])
    try table.heartbeat(of: "ann", device: "tablet", payload: .text("typing"), at: .zero)
    #expect(table.present.texts == ["ann": "typing"])
    try table.heartbeat(of: "ann", device: "desk", payload: [], at: .zero)
    #expect(table.present.texts == ["ann": ""])
    table.leave("ann", device: "desk")
    #expect(table.present.texts == ["ann": "typing"])
    table.leave("ann", device: "tablet")
    #expect(table.present.texts == ["ann": "away"])
  }

  @Test func `a repeated payload and none leave the user's payload as it is`() throws {
    var table = PresenceTable.forTest()
    try table.heartbeat(of: "ann", device: "phone", payload: .text("away"), at: .zero)
    try table.heartbeat(of: "ann", device: "tablet", payload: .text("busy"), at: .zero)
    _ = table.takeDifference()
    try table.heartbeat(of: "ann", device: "phone", payload: .text("away"), at: .zero)
    try table.heartbeat(of: "ann", device: "phone", at: .zero)
    #expect(table.present.texts == ["ann": "busy"])
    #expect(table.takeDifference() == nil)
    try table.heartbeat(of: "ann", device: "phone", payload: .text("back"), at: .zero)
    #expect(table.present.texts == ["ann": "back"])
  }

  @Test func `an empty payload that is set replaces an older one`() throws {
    var table = PresenceTable.forTest()
    try table.heartbeat(of: "ann", device: "phone", payload: .text("away"), at: .zero)
    try table.heartbeat(of: "ann", device: "tablet", payload: [], at: .zero)
    #expect(table.present.texts == ["ann": ""])
    try table.heartbeat(of: "ann", device: "phone", payload: .text("back"), at: .zero)
    try table.heartbeat(of: "ann", device: "tablet", payload: [], at: .zero)
    #expect(table.present.texts == ["ann": "back"])
  }

  @Test func `devices leave in any order`() throws {
    let names = ["a", "b", "c", "d"]
    for first in names {
      for second in names where second != first {
        var table = PresenceTable.forTest()
        for name in names { try table.heartbeat(of: "ann", device: name, at: .zero) }
        #expect(table.leave("ann", device: first) == true)
        #expect(table.leave("ann", device: second) == true)
        for name in names {
          let isGone = name == first || name == second
          #expect(try table.heartbeat(of: "ann", device: name, at: .zero) == isGone)
        }
        for name in names { #expect(table.leave("ann", device: name) == true) }
        #expect(table.present.isEmpty)
        #expect(table.nextDeadline == nil)
      }
    }
  }

  @Test func `spellings of a name that are canonically equal name one user`() throws {
    let (composed, decomposed) = ("Zo\u{EB}", "Zoe\u{308}")
    var table = PresenceTable.forTest()
    var view = PresenceView()
    try table.heartbeat(of: composed, device: "phone", at: .zero)
    #expect(try table.heartbeat(of: decomposed, device: "phone", at: .zero) == false)
    view.apply(try table.nextDifference())
    table.leave(decomposed, device: "phone")
    try table.heartbeat(of: decomposed, device: "phone", at: .zero)
    let difference = try table.nextDifference()
    #expect(difference.changes.updated.count == 1)
    #expect(view.apply(difference).lines == ["~\(decomposed)"])
    #expect(view.present.count == 1)
    #expect(view.present.digest == table.present.digest)
  }

  @Test func `a copy of a table is independent of it`() throws {
    var table = PresenceTable.forTest()
    try table.heartbeat(of: "ann", device: "phone", at: .zero)
    var copy = table
    copy.leave("ann", device: "phone")
    #expect(table.present.names == ["ann"])
    #expect(copy.present.isEmpty)
  }
}
