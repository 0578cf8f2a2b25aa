import Signals
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
        #expect(change.edits(of: \.spare)?.insertions.map(\.position) == [0])
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
    store.beforeCommit = { change in
      for one in change.changes(of: Screw.self) where one.new(\.length) == 13 { throw Refusal() }
    }
    #expect(throws: Refusal.self) { try store.write { screw.length = 13 } }
    store.beforeCommit = nil
  }

  @Test func `elsewhere a store or an object must be given, until the path was learnt`() throws {
    final class Bolt: Object { @Field var length = 0 }
    let bolt = Bolt()
    try store.add(bolt)
    var commits: [ChangeSet] = []
    let token = store.commits.sink { commits.append($0) }
    bolt.length = 2
    let commit = try #require(commits.first)
    #expect(commit.changes(of: Bolt.self)[0].new(\.length) == nil)
    #expect(commit.changes(of: Bolt.self)[0]["length"]?.new as? Int == 2)
    #expect(commit.changes(of: Bolt.self, in: store)[0].new(\.length) == 2)
    #expect(commit.changes(of: Bolt.self)[0].new(\.length) == 2)
    #expect(commit[bolt]?.old(\.length) == 0)
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
}
