import SignalsSync
import Testing

/// The tables of several nodes.
@Suite struct `Presence, several nodes` {
  private var (a, b) = (PresenceTable.forTest(run: 1), PresenceTable.forTest(run: 2))

  /// Sends the changes of each node to the other one.
  private mutating func exchange() {
    if let difference = a.takeDifference(for: .nodes) { b.apply(difference, from: "a") }
    if let difference = b.takeDifference(for: .nodes) { a.apply(difference, from: "b") }
  }

  @Test mutating func `each node shows the users of all`() throws {
    try a.heartbeat(of: "ann", device: "phone", payload: .text("x"), at: .zero)
    try b.heartbeat(of: "bob", device: "phone", at: .zero)
    exchange()
    #expect(a.present.texts == ["ann": "x", "bob": ""])
    #expect(a.present == b.present)
    #expect(a.nodeNames == ["b"])
    b.leave("bob", device: "phone")
    exchange()
    #expect(a.present.names == ["ann"])
  }

  @Test mutating func `a user on two nodes is one user, until it has left both`() throws {
    try a.heartbeat(of: "ann", device: "phone", at: .zero)
    try b.heartbeat(of: "ann", device: "tablet", at: .zero)
    exchange()
    #expect(a.takeDifference()?.changes.lines == ["+ann"])
    a.leave("ann", device: "phone")
    exchange()
    #expect(a.takeDifference() == nil)
    #expect(b.present.names == ["ann"])
    b.leave("ann", device: "tablet")
    exchange()
    #expect(a.takeDifference()?.changes.lines == ["-ann"])
    #expect(b.present.isEmpty)
  }

  @Test mutating func `a node reports its own devices only`() throws {
    try a.heartbeat(of: "ann", device: "phone", at: .zero)
    exchange()
    #expect(b.takeDifference(for: .nodes) == nil)
    #expect(b.snapshot(for: .nodes).changes.isEmpty)
    #expect(b.snapshot().changes.isEmpty)
    #expect(b.takeDifference()?.changes.lines == ["+ann"])
    #expect(b.snapshot().changes.lines == ["+ann"])
  }

  @Test mutating func `a payload that was set while another was known replaces it on all nodes`()
    throws
  {
    for text in ["x", "a", "z", "b"] {
      try a.heartbeat(of: "ann", device: "phone", payload: .text("a \(text)"), at: .zero)
      exchange()
      #expect(a.present.texts == ["ann": "a \(text)"])
      #expect(b.present == a.present)
      try b.heartbeat(of: "ann", device: "tablet", payload: .text("b \(text)"), at: .zero)
      exchange()
      #expect(a.present.texts == ["ann": "b \(text)"])
      #expect(b.present == a.present)
    }
    b.leave("ann", device: "tablet")
    exchange()
    #expect(a.present.texts == ["ann": "a b"])
    #expect(b.present == a.present)
  }

  @Test mutating func `of two concurrent payloads all nodes choose the same`() throws {
    try a.heartbeat(of: "ann", device: "phone", payload: .text("a"), at: .zero)
    try b.heartbeat(of: "ann", device: "tablet", payload: .text("b"), at: .zero)
    exchange()
    #expect(a.present.texts == ["ann": "b"])
    #expect(a.present == b.present)
  }

  @Test mutating func `of two concurrent spellings all nodes choose the same`() throws {
    try a.heartbeat(of: "Zo\u{EB}", device: "phone", at: .zero)
    try b.heartbeat(of: "Zoe\u{308}", device: "tablet", at: .zero)
    exchange()
    #expect(a.present.count == 1)
    #expect(a.present == b.present)
  }

  @Test mutating func `a view gets no difference for a payload that was set again`() throws {
    try a.heartbeat(of: "ann", device: "phone", payload: .text("x"), at: .zero)
    exchange()
    _ = a.takeDifference()
    try b.heartbeat(of: "ann", device: "tablet", payload: .text("x"), at: .zero)
    exchange()
    #expect(a.takeDifference() == nil)
    try a.heartbeat(of: "ann", device: "phone", payload: .text("y"), at: .zero)
    exchange()
    #expect(b.present.texts == ["ann": "y"])
  }

  @Test mutating func `the users of a node that is gone are removed`() throws {
    try a.heartbeat(of: "ann", device: "phone", payload: .text("old"), at: .zero)
    try b.heartbeat(of: "ann", device: "tablet", payload: .text("z"), at: .zero)
    try b.heartbeat(of: "bob", device: "phone", at: .zero)
    exchange()
    _ = a.takeDifference()
    #expect(a.removeNode("b") == true)
    #expect(a.takeDifference()?.changes.lines == ["-bob", "~ann=old"])
    #expect(a.nodeNames == [])
    #expect(a.removeNode("b") == false)
    try b.heartbeat(of: "cid", device: "phone", at: .zero)
    #expect(a.apply(try b.nextDifference(for: .nodes), from: "b") == .needsAll)
    #expect(a.nodeNames == [])
    #expect(a.present.names == ["ann"])
    a.apply(b.snapshot(for: .nodes), from: "b")
    #expect(a.present.names == ["ann", "bob", "cid"])
  }

  @Test mutating func `a restarted node replaces what it had under its name`() throws {
    try a.heartbeat(of: "ann", device: "phone", at: .zero)
    try b.heartbeat(of: "bob", device: "phone", at: .zero)
    try b.heartbeat(of: "cid", device: "phone", at: .zero)
    exchange()
    b = .forTest(run: 3)
    try b.heartbeat(of: "cid", device: "phone", at: .zero)
    #expect(a.apply(try b.nextDifference(for: .nodes), from: "b") == .needsAll)
    #expect(a.apply(b.snapshot(for: .nodes), from: "b").lines == ["-bob"])
    #expect(a.present.names == ["ann", "cid"])
  }

  @Test mutating func `a node that missed a difference needs a snapshot`() throws {
    try a.heartbeat(of: "ann", device: "phone", at: .zero)
    exchange()
    try a.heartbeat(of: "bob", device: "phone", at: .zero)
    _ = a.takeDifference(for: .nodes)
    #expect(b.apply(a.mark(for: .nodes), from: "a") == .needsAll)
    #expect(b.nodeNames == ["a"])
    #expect(b.apply(a.snapshot(for: .nodes), from: "a").lines == ["+bob"])
    #expect(b.apply(a.mark(for: .nodes), from: "a") == .repeated)
  }

  @Test mutating func `a difference that comes back to its table is ignored`() throws {
    try a.heartbeat(of: "ann", device: "phone", at: .zero)
    let difference = try a.nextDifference(for: .nodes)
    #expect(a.apply(difference, from: "a") == .repeated)
    #expect(a.apply(a.snapshot(for: .nodes), from: "a") == .repeated)
    a.leave("ann", device: "phone")
    #expect(a.present.isEmpty)
    #expect(a.nodeNames == [])
  }

  @Test mutating func `batches for nodes begin with the users that are present then`() throws {
    try a.heartbeat(of: "ann", device: "phone", at: .zero)
    #expect(a.takeDifference()?.number == 1)
    #expect(b.apply(a.snapshot(for: .nodes), from: "a").lines == [])
    let first = try a.nextDifference(for: .nodes)
    #expect(first.number == 1)
    #expect(b.apply(first, from: "a").lines == ["+ann"])
    #expect(b.apply(a.mark(for: .nodes), from: "a") == .repeated)
  }

  @Test mutating func `the largest stamp of another node stops nothing`() throws {
    var changes = PresenceChanges()
    changes.joined = [PresentUser(user: "ann", payload: .text("m"), stamp: .max)]
    let digest = changes.joined[0].digest
    a.apply(PresenceDifference(run: 9, number: 1, digest: digest, changes: changes), from: "c")
    try a.heartbeat(of: "ann", device: "phone", payload: .text("z"), at: .zero)
    try a.heartbeat(of: "bob", device: "phone", payload: .text("z"), at: .zero)
    #expect(a.present.texts == ["ann": "z", "bob": "z"])
  }
}
