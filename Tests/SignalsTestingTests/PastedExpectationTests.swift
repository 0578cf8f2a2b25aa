import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

/// What was pasted from a failure holds, in every run.
@Suite struct `Expectations, pasted` {
  /// As the design's own library has it.
  final class Member: Object {
    @PrimaryKey var id = UUID()
    @Field var name = ""
    @Links var friends: List<Member>
  }

  struct Label: Codable, Equatable, Sendable, CustomStringConvertible {
    var description: String
  }

  struct Marks: Codable, Equatable, Sendable {
    var tags: Set<String> = []
    var counts: [String: Int] = [:]
    var owner: UUID?
  }

  final class Odd: Object {
    @Field var tags: Set<String> = []
    @Field var marks = Marks()
    @Field var label = Label(description: "")
    @Field var token = UUID()
    @Field var data = Data()
  }

  /// What a change is told to be, which holds when it is made again.
  private func told(
    _ mount: () throws -> TestHost, _ change: (TestHost) throws -> Void
  ) throws -> String {
    let messages = try issues {
      let app = try mount()
      try app.expectChanges("") { try change(app) }
    }
    let lines = try #require(messages.first).split(
      separator: "\n", omittingEmptySubsequences: false)
    let pasted = lines.dropFirst(2).dropLast().joined(separator: "\n")
    let app = try mount()
    try app.expectChanges(pasted) { try change(app) }
    return pasted
  }

  @Test func `objects with a random key are numbered in the order of the store`() throws {
    let mount = {
      let store = Store()
      try store.write(undoable: false) {
        for name in ["a", "b", "c"] {
          let member = Member()
          member.name = name
          try store.add(member)
        }
      }
      return try TestHost(store) {
        ForEach(store.results(Member.self)) { Button($0.name, id: "open-\($0.id)") {} }
      }
    }
    let one = try told(mount) { app in
      app.host.store.results(Member.self)[1].name = "x"
    }
    #expect(
      one == """
        ~ Member 2
            name: "b" -> "x"
        screen
          button #open-UUID-1 "a"
        - button #open-UUID-2 "b"
        + button #open-UUID-2 "x"
        """)
    let all = try told(mount) { app in
      let store = app.host.store, members = Array(store.results(Member.self))
      try store.write {
        let new = Member()
        new.name = "new"
        members[2].friends.append(members[0])
        members[2].friends.append(new)
        try store.delete(members[1])
      }
    }
    #expect(
      all == """
        - Member 2
        ~ Member 3
            friends
              + Member 1 at 0
              + Member 4 at 1
        + Member 4
            id: UUID-1
            name: "new"
        screen
          button #open-UUID-2 "a"
        - button #open-UUID-3 "b"
          button #open-UUID-4 "c"
        + button #open-UUID-1 "new"
        """)
  }

  @Test func `a test that knows a random key may write it`() throws {
    let store = Store(), members = [Member(), Member()]
    try store.write(undoable: false) { for member in members { try store.add(member) } }
    let app = try TestHost(store) { ForEach(members) { Text($0.name, id: "\($0.id)") } }
    app.expectChanges(
      """
      ~ Member(id: \(members[1].id))
          name: "" -> "x"
      screen
        text #UUID-1 ""
      - text #\(members[1].id) ""
      + text #\(members[1].id) "x"
      """
    ) { members[1].name = "x" }
    let wrong = try issues {
      app.expectChanges("~ Member(id: \(members[0].id))", exhaustivity: .partial) {
        members[1].name = "y"
      }
    }
    // The screen tells of it, too.
    #expect(wrong.first?.contains("- ~ Member(id: UUID-1)") == true)
  }

  @Test func `sets and dictionaries are sorted, at any depth`() throws {
    let told = try told({
      let store = Store()
      try store.write(undoable: false) { try store.add(Odd()) }
      return try TestHost(store) { Text("") }
    }) { app in
      let odd = app.host.store.results(Odd.self)[0]
      odd.tags = ["c", "a", "b"]
      odd.marks = Marks(tags: ["y", "x"], counts: ["two": 2, "one": 1], owner: UUID())
    }
    #expect(
      told == """
        ~ Odd
            marks: Marks(tags: [], counts: [:], owner: nil) -> \
        Marks(tags: ["x", "y"], counts: ["one": 1, "two": 2], owner: UUID-1)
            tags: [] -> ["a", "b", "c"]
        """)
  }

  @Test func `what could not be seen is quoted, and what reads alike is told to differ`() throws {
    let told = try told({
      let store = Store(), odd = Odd()
      odd.data = Data([1, 2])
      try store.write(undoable: false) { try store.add(odd) }
      return try TestHost(store) { Text("") }
    }) { app in
      let odd = app.host.store.results(Odd.self)[0]
      odd.label = Label(description: "two\nlines ")
      odd.data = Data([1, 3])
    }
    #expect(
      told == #"""
        ~ Odd
            data: 2 bytes -> another 2 bytes
            label: "" -> "two\nlines "
        """#)
  }

  @Test func `an empty line can be expected`() throws {
    let text = Signal("")
    let app = try TestHost(Store()) {
      Text("x")
      Text(text.value)
    }
    app.expectChanges(
      """
      screen
        text "x"
      - text ""
      + text "abc "
      """
    ) { text.value = "abc " }
  }

  @Test func `the literal to paste has as many signs as its text needs`() throws {
    let text = Signal("")
    let app = try TestHost(Store()) { Text(text.value) }
    let messages = try issues { app.expectNoChange { text.value = "say \"a\\nb\"" } }
    #expect(
      messages == [
        ##"""
        this has changed:
        #"""
        screen
        - text ""
        + text "say \"a\\nb\""
        """#
        """##
      ])
    app.expectChanges(
      #"""
      screen
      - text "say \"a\\nb\""
      + text "b"
      """#
    ) { text.value = "b" }
  }

  @Test func `what all lines are indented by, and blanks at their ends, are of no account`() throws
  {
    let text = Signal("a")
    let app = try TestHost(Store()) { Text(text.value) }
    app.expectChanges("   screen  \n   - text \"a\" \n\n   + text \"b\"\r\n") { text.value = "b" }
  }
}
