import SignalsSync
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Differences, and the views that apply them.
@Suite struct `Presence, differences and views` {
  private var table = PresenceTable.forTest()
  private var view = PresenceView()

  /// Makes a difference in which users join, or leave if their names begin with `-`.
  private mutating func difference(_ users: String...) throws -> PresenceDifference {
    for user in users {
      if user.hasPrefix("-") {
        table.leave(String(user.dropFirst()), device: "phone")
      } else {
        try table.heartbeat(of: user, device: "phone", at: .zero)
      }
    }
    return try table.nextDifference()
  }

  @Test mutating func `a view that applies each difference shows what the table has`() throws {
    #expect(view.apply(try difference("ann", "bob")).lines == ["+ann", "+bob"])
    #expect(view.apply(try difference("-ann", "cid")).lines == ["+cid", "-ann"])
    try table.heartbeat(of: "bob", device: "phone", payload: .text("busy"), at: .zero)
    #expect(view.apply(try difference()).lines == ["~bob=busy"])
    #expect(view.present == table.present)
    #expect(view.present["bob"]?.payload == .text("busy"))
    #expect(view.present["ann"] == nil)
    #expect(view.present.count == 2)
  }

  @Test mutating func `differences are numbered, and have each user once`() throws {
    #expect(try difference("ann").number == 1)
    try table.heartbeat(of: "ann", device: "phone", payload: .text("a"), at: .zero)
    try table.heartbeat(of: "ann", device: "phone", payload: .text("b"), at: .zero)
    try table.heartbeat(of: "bob", device: "phone", at: .zero)
    try table.heartbeat(of: "bob", device: "phone", payload: .text("c"), at: .zero)
    let second = try difference("cid", "-cid")
    #expect(second.number == 2)
    #expect(second.changes.lines == ["+bob=c", "~ann=b"])
    #expect(table.takeDifference() == nil)
    #expect(try difference("-ann").number == 3)
  }

  @Test mutating func `a batch that ends as it began is none`() throws {
    try table.heartbeat(of: "ann", device: "phone", payload: .text("x"), at: .zero)
    _ = try difference()
    table.leave("ann", device: "phone")
    try table.heartbeat(of: "ann", device: "tablet", payload: .text("x"), at: .zero)
    try table.heartbeat(of: "bob", device: "phone", at: .zero)
    table.leave("bob", device: "phone")
    #expect(table.takeDifference() == nil)
  }

  @Test mutating func `a difference that arrives twice or late changes nothing`() throws {
    let (first, second) = (try difference("ann"), try difference("-ann", "bob"))
    view.apply(first)
    #expect(view.apply(first) == .repeated)
    view.apply(second)
    #expect(view.apply(second) == .repeated)
    #expect(view.apply(first) == .repeated)
    #expect(view.present.names == ["bob"])
  }

  @Test mutating func `a view that missed a difference keeps what it has until it gets a snapshot`()
    throws
  {
    view.apply(try difference("ann"))
    _ = try difference("bob")
    let third = try difference("-ann")
    #expect(view.apply(third) == .needsAll)
    #expect(view.present.names == ["ann"])
    #expect(view.apply(third) == .needsAll)
    #expect(view.apply(table.snapshot()).lines == ["+bob", "-ann"])
    #expect(view.apply(third) == .repeated)
    #expect(view.apply(try difference("cid")).lines == ["+cid"])
    #expect(view.present == table.present)
  }

  @Test mutating func `a mark tells a view that it missed the last difference`() throws {
    #expect(view.apply(table.mark()) == .needsAll)
    #expect(view.apply(table.snapshot()).lines == [])
    #expect(view.apply(table.mark()) == .repeated)
    view.apply(try difference("ann"))
    #expect(view.apply(table.mark()) == .repeated)
    _ = try difference("bob")
    #expect(view.apply(table.mark()) == .needsAll)
    view.apply(table.snapshot())
    #expect(view.apply(table.mark()) == .repeated)
    #expect(view.present.names == ["ann", "bob"])
  }

  @Test mutating func `a mark and a snapshot leave the current batch as it is`() throws {
    view.apply(try difference("ann", "bob"))
    try table.heartbeat(of: "ann", device: "phone", payload: .text("x"), at: .zero)
    table.leave("bob", device: "phone")
    try table.heartbeat(of: "cid", device: "phone", at: .zero)
    #expect(view.apply(table.mark()) == .repeated)
    var late = PresenceView()
    #expect(late.apply(table.snapshot()).lines == ["+ann", "+bob"])
    let second = try difference()
    #expect(late.apply(second).lines == ["+cid", "-bob", "~ann=x"])
    #expect(view.apply(second) == .applied(second.changes))
    #expect(late == view)
  }

  @Test mutating func `a view that begins late needs a snapshot`() throws {
    _ = try difference("ann")
    #expect(view.apply(try difference("bob")) == .needsAll)
    #expect(view.present.isEmpty)
    #expect(view.apply(table.snapshot()).lines == ["+ann", "+bob"])
  }

  @Test mutating func `an older snapshot changes nothing`() throws {
    view.apply(try difference("ann"))
    let old = table.snapshot()
    view.apply(try difference("bob"))
    #expect(view.apply(old) == .repeated)
    #expect(view.present.names == ["ann", "bob"])
  }

  @Test mutating func `a snapshot reports what it changes`() throws {
    view.apply(try difference("ann", "bob", "cid"))
    try table.heartbeat(of: "bob", device: "phone", payload: .text("x"), at: .zero)
    _ = try difference("-ann", "dan")
    #expect(view.apply(table.snapshot()).lines == ["+dan", "-ann", "~bob=x"])
  }

  @Test mutating func `the differences of a restarted table need a snapshot`() throws {
    view.apply(try difference("ann"))
    view.apply(try difference("bob"))
    table = .forTest(run: 2)
    #expect(view.apply(try difference("cid")) == .needsAll)
    #expect(view.apply(table.mark()) == .needsAll)
    #expect(view.apply(try difference("dan")) == .needsAll)
    #expect(view.apply(try difference("eve")) == .needsAll)
    #expect(view.present.names == ["ann", "bob"])
    #expect(view.apply(table.snapshot()).lines == ["+cid", "+dan", "+eve", "-ann", "-bob"])
    #expect(view.apply(try difference("-dan")).lines == ["-dan"])
  }

  @Test mutating func `what comes late from before a restart changes nothing`() throws {
    view.apply(try difference("ann"))
    let (snapshot, mark, next) = (table.snapshot(), table.mark(), try difference("bob"))
    table = .forTest(run: 2)
    _ = try difference("cid")
    view.apply(table.snapshot())
    let now = view
    for late in [snapshot, mark, next] { #expect(view.apply(late) == .repeated) }
    #expect(view == now)
    #expect(view.apply(try difference("dan")).lines == ["+dan"])
  }

  @Test
  func `the run of a table begins with the time of day, so that it is greater after a restart`() {
    #expect(PresenceTable().run >> 20 >= 1_735_689_600_000)
  }

  @Test mutating func `what doesn't fit is not applied in part`() throws {
    view.apply(try difference("ann", "bob"))
    let before = view
    let next = try difference("-ann", "cid")
    let ann = PresentUser(user: "ann", payload: [])
    let eve = PresentUser(user: "eve", payload: [])
    let damages: [(inout PresenceChanges) -> Void] = [
      { $0.left = [] },
      { $0.joined = [] },
      { $0.joined.append(eve) },
      { $0.joined.append($0.joined[0]) },
      { $0.joined.append(ann) },
      { $0.left.append("eve") },
      { $0.left.append("ann") },
      { $0.updated.append(eve) },
      { $0.updated.append(PresentUser(user: "bob", payload: [1])) },
      { $0.joined[0] = PresentUser(user: "cid", payload: [0]) },
      { $0.joined[0] = PresentUser(user: "cid", payload: [], stamp: 1) },
    ]
    for (index, damage) in damages.enumerated() {
      var changes = next.changes
      damage(&changes)
      for isSnapshot in [false, true] where !(isSnapshot && index == 0) {
        let damaged = PresenceDifference(
          run: next.run, number: next.number, isSnapshot: isSnapshot, digest: next.digest,
          changes: changes)
        #expect(view.apply(damaged) == .needsAll, "damage \(index), \(isSnapshot)")
        #expect(view == before, "damage \(index), \(isSnapshot)")
      }
    }
    #expect(view.apply(next) == .applied(next.changes))
  }

  @Test mutating func `changes that don't fit are refused even if the digest is right`() throws {
    view.apply(try difference("ann"))
    let ann = PresentUser(user: "ann", payload: [])
    var (joins, leaves, updates) = (PresenceChanges(), PresenceChanges(), PresenceChanges())
    joins.joined = [ann]
    leaves.left = ["bob"]
    updates.updated = [PresentUser(user: "bob", payload: [])]
    for changes in [joins, leaves] {
      let wrong = PresenceDifference(
        run: 1, number: 2, digest: view.present.digest, changes: changes)
      #expect(view.apply(wrong) == .needsAll)
    }
    let digest = view.present.digest &+ updates.updated[0].digest
    let wrong = PresenceDifference(run: 1, number: 2, digest: digest, changes: updates)
    #expect(view.apply(wrong) == .needsAll)
    #expect(view.present.names == ["ann"])
  }

  @Test mutating func `the largest number is followed by none`() throws {
    let end = PresenceDifference(run: 1, number: .max, isSnapshot: true, digest: 0)
    view.apply(end)
    #expect(view.apply(try difference("ann")) == .repeated)
    let other = PresenceDifference(run: 1, number: .max, digest: 5)
    #expect(view.apply(other) == .needsAll)
  }

  @Test mutating func `a difference of another table needs a snapshot even if its digest fits`()
    throws
  {
    view.apply(try difference("ann"))
    view.apply(try difference("-ann"))
    table = .forTest(run: 2)
    let differences = [
      try difference("ann"), try difference("-ann"), try difference("ann"),
    ]
    for difference in differences { #expect(view.apply(difference) == .needsAll) }
    #expect(view.present.isEmpty)
  }

  @Test mutating func `a gap needs a snapshot even if the missed changes cancel out`() throws {
    view.apply(try difference("ann"))
    _ = try difference("bob")
    _ = try difference("-bob")
    #expect(view.apply(try difference("cid")) == .needsAll)
    #expect(view.present.names == ["ann"])
  }

  @Test mutating func `a snapshot with the view's number and another digest replaces its users`()
    throws
  {
    view.apply(try difference("ann"))
    var other = PresenceTable.forTest(run: 1)
    try other.heartbeat(of: "bob", device: "phone", at: .zero)
    let first = try other.nextDifference()
    #expect(view.apply(first) == .needsAll)
    #expect(view.apply(other.mark()) == .needsAll)
    #expect(view.apply(other.snapshot()).lines == ["+bob", "-ann"])
  }

  @Test mutating func `a difference survives being coded`() throws {
    try table.heartbeat(of: "zoë", device: "phone", payload: [0, 255, 7], at: .zero)
    for original in [try difference("ann"), try difference("-ann"), table.snapshot(), table.mark()]
    {
      let data = try JSONEncoder().encode(original)
      #expect(try JSONDecoder().decode(PresenceDifference.self, from: data) == original)
    }
  }
}
