import Foundation
import Signals
import TestSupport
import Testing

/// Reading change sets by key path.
@Suite struct `Graph, changes read by key path` {
  /// Classes of this suite alone: what is learnt of them is learnt here.
  class Tool: Object {
    @Field var name = ""
    @Field var size: Int?
    var alias: String {
      get { name }
      set { name = newValue }
    }
    var shout: String { name.uppercased() }
  }
  final class Saw: Tool {
    @Field var teeth = 0
    @Link var box: Tool?
    @Links var spare: List<Tool>
    /// Reads two, and writes one.
    var both: String {
      get { name + "\(teeth)" }
      set { name = newValue }
    }
    var sameName: String {
      get { name }
      set { name = newValue }
    }
    var trimmed: String {
      get { name.hasSuffix(" ") ? String(name.dropLast()) : name }
      set { name = newValue }
    }
    var loudName: String {
      get { name.uppercased() }
      set { name = newValue }
    }
  }

  let store = Store()

  @Test func `in a sink the store at hand says what a path is`() throws {
    let saw = Saw()
    try store.add(saw)
    var lines: [String] = []
    let token = store.commits.sink { commit in
      for change in commit.changes(of: Saw.self) where change.kind == .modified {
        lines.append("\(change.old(\.teeth) ?? -1) \(change.new(\.teeth) ?? -1)")
        lines.append("\(change.old(\.name) ?? "-") \(change.new(\.name) ?? "-")")
        #expect(change.new(\.size) == .some(3))
        #expect(change.new(\.box) == saw.objectID && change.old(\.box) == nil)
        #expect(change.new(\.spare) == [saw.objectID] && change.old(\.spare) == [])
        #expect(change.edits(of: \.spare)?.insertions == [0])
      }
    }
    try store.write {
      saw.teeth = 7
      saw.name = "big"
      saw.size = 3
      saw.box = saw
      saw.spare = [saw]
    }
    #expect(lines == ["0 7", " big"])
    withExtendedLifetime(token) {}
  }

  @Test func `the last object of a class that went still says it`() throws {
    final class Nail: Object { @Field var length = 0 }
    let nail = Nail()
    nail.length = 4
    try store.add(nail)
    var lengths: [Int?] = []
    let token = store.commits.sink { commit in
      lengths += commit.changes(of: Nail.self).map { $0.old(\.length) }
    }
    try store.delete(nail)
    #expect(lengths == [4])
    withExtendedLifetime(token) {}
  }

  @Test func `beforeCommit can read by key path`() throws {
    final class Screw: Object { @Field var length = 0 }
    let screw = Screw()
    try store.add(screw)
    let rule = store.beforeCommit { change in
      for one in change.changes(of: Screw.self) where one.new(\.length) == 13 { throw Refusal() }
    }
    #expect(throws: Refusal.self) { try store.write { screw.length = 13 } }
    rule.cancel()
  }

  @Test func `elsewhere a change says it without any store or object`() throws {
    final class Bolt: Object {
      @Field var length = 0
      @Link var nut: Bolt?
    }
    let bolt = Bolt()
    try store.add(bolt)
    var commits: [ChangeSet] = []
    let token = store.commits.sink { commits.append($0) }
    bolt.length = 2
    bolt.nut = bolt
    let commit = commits.reduce(ChangeSet()) { $0.merging($1) }
    #expect(commit.changes(of: Bolt.self)[0].new(\.length) == 2)
    #expect(commit.changes(of: Bolt.self, in: Store())[0].new(\.nut) == bolt.objectID)
    #expect(commit.changes(of: Bolt.self)[0]["length"]?.new as? Int == 2)
    #expect(commit.changes(of: Bolt.self, in: store)[0].old(\.length) == 0)
    #expect(commit[bolt]?.old(\.length) == 0)
    withExtendedLifetime(token) {}
  }

  @Test func `a change that was decoded where no such object is says it too`() async throws {
    final class Rivet: Tool { @Field var head = 0 }
    let (rivet, replica) = (Rivet(), Store())
    rivet.head = 3
    rivet.name = "r"
    var all = ChangeSet()
    let token = store.commits.sink { all = all.merging($0) }
    try store.add(rivet)
    token.cancel()
    let data = try JSONEncoder().encode(all)
    let seen = try await Task.detached {
      let change = try JSONDecoder().decode(ChangeSet.self, from: data)
      let rivets = change.changes(of: Rivet.self)
      return (rivets[0].new(\.head), rivets[0].new(\.name), rivets[0].new(\.alias))
    }.value
    #expect(seen == (3, "r", nil))
    #expect(try replica.apply(all).isClean)
    #expect(all.changes(of: Tool.self)[0].new(\.name) == "r")
  }

  @Test func `an alias of an inherited property is none, whatever it has at the time`() throws {
    let saw = Saw()
    try store.add(saw)
    var commits: [ChangeSet] = []
    let token = store.commits.sink { commits.append($0) }
    saw.name = "a"
    let change = try #require(commits.first?[saw])
    #expect(change.new(\.sameName) == nil && change.new(\.trimmed) == nil)
    #expect(change.new(\.name) == "a" && change.new(\.sameName) == nil)
    #expect(change.new(\.alias) == nil && change.old(\.trimmed) == nil)
    withExtendedLifetime(token) {}
  }

  @Test func `an override is a property of its own`() throws {
    class Wheel: Object { @Field var size = 1 }
    final class Gear: Wheel {
      override var size: Int {
        get { super.size }
        set { super.size = newValue * 2 }
      }
    }
    let gear = Gear()
    try store.add(gear)
    var all = ChangeSet()
    let token = store.commits.sink { all = all.merging($0) }
    gear.size = 2
    #expect(all[gear]?.new(\.size) == nil)
    #expect(all.changes(of: Wheel.self)[0].new(\.size) == 4)
    withExtendedLifetime(token) {}
  }

  @Test func `inherited properties of generic classes are recognized`() throws {
    class Crate<Content: Codable & Equatable & Sendable>: Tool { @Field var content: Content? }
    final class Deep: Crate<Int> { @Indexed var depth = 0 }
    let deep = Deep()
    (deep.content, deep.name, deep.depth) = (7, "d", 1)
    var all = ChangeSet()
    let token = store.commits.sink { all = all.merging($0) }
    try store.add(deep)
    let change = all.changes(of: Deep.self)[0]
    #expect(change.new(\.content) == .some(7) && change.new(\.name) == "d")
    #expect(all.changes(of: Crate<Int>.self)[0].new(\.content) == .some(7))
    withExtendedLifetime(token) {}
  }

  @Test func `a computed property is none, whatever it reads`() throws {
    let (saw, tool) = (Saw(), Tool())
    saw.name = "x"
    try store.add([saw, tool])
    var commits: [ChangeSet] = []
    let token = store.commits.sink { commits.append($0) }
    try store.write {
      saw.name = "a"
      tool.name = "a"
    }
    let commit = commits[0]
    #expect(commit[tool]?.new(\.alias) == nil && commit[tool]?.new(\.shout) == nil)
    #expect(commit[saw]?.new(\.both) == nil && commit[saw]?.new(\.loudName) == nil)
    #expect(commit[saw]?.new(\.name) == "a" && commit[tool]?.new(\.name) == "a")
    withExtendedLifetime(token) {}
  }

  @Test func `a read of a change is no dependency`() throws {
    let tool = Tool()
    try store.add(tool)
    var commits: [ChangeSet] = []
    let token = store.commits.sink { commits.append($0) }
    tool.size = 1
    var runs = 0
    let effect = Effect {
      runs += 1
      #expect(commits[0][tool]?.new(\.size) == .some(1))
    }
    tool.size = 2
    #expect(runs == 1)
    withExtendedLifetime((token, effect)) {}
  }

  @Test func `a change gives its object, as long as the store has it`() throws {
    let tool = Tool()
    try store.add(tool)
    var (found, commits): ([Tool?], [ChangeSet]) = ([], [])
    let token = store.commits.sink { commit in
      commits.append(commit)
      found += commit.changes(of: Tool.self).map(\.object)
    }
    tool.size = 1
    #expect(found == [tool])
    let change = try #require(commits[0].changes(of: Tool.self).first)
    #expect(change.object == nil)
    #expect(commits[0].changes(of: Tool.self, in: store)[0].object == tool)
    #expect(commits[0].changes(of: Tool.self, in: Store())[0].object == nil)
    try store.delete(tool)
    #expect(found == [tool, nil])
    #expect(commits[0].changes(of: Tool.self, in: store)[0].object == nil)
    #expect(commits[0][tool]?.object == tool)
    withExtendedLifetime(token) {}
  }
}
