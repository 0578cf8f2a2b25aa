import Signals
import SignalsTesting
import TestSupport
import Testing

/// Exactly what an intent changes, in the graph and on screen.
@Suite struct `Expectations of changes` {
  final class Volume: Object {
    @PrimaryKey var isbn = ""
    @Field var title = ""
    @Field var pages = 0
  }

  final class Shelf: Object {
    @Field var name = ""
    @Link var best: Volume?
    @Links var volumes: List<Volume>
  }

  struct Stop: Error {}

  struct ShelfScreen: View {
    @ObservedObject var shelf: Shelf

    var body: Element {
      Text("Volumes: \(shelf.volumes.count)")
      ForEach(shelf.volumes) { volume in
        Button(volume.title, id: volume.isbn) { _ = shelf.volumes.remove(volume) }
      }
      Button("Rename", id: "rename") {
        shelf.name = "new"
        shelf.best = shelf.volumes.last
      }
      Button("Fail", id: "fail") {
        shelf.name = "lost"
        throw Stop()
      }
    }
  }

  private func screen() throws -> (app: TestHost, shelf: Shelf) {
    let store = Store(), shelf = Shelf()
    try store.add(shelf)
    for (isbn, title) in [("1", "Emma"), ("2", "Ulysses")] {
      let volume = Volume()
      volume.isbn = isbn
      volume.title = title
      shelf.volumes.append(volume)
    }
    return (try TestHost(store) { ShelfScreen(shelf: shelf) }, shelf)
  }

  @Test func `an expectation that names everything holds`() throws {
    let (app, _) = try screen()
    try app.expectChanges(
      """
      ~ Shelf
          volumes
            - Volume(isbn: "1") at 0
      screen
      - text "Volumes: 2"
      - button #1 "Emma"
      + text "Volumes: 1"
      """, bodies: 2
    ) { try app.tap("1") }
    try app.expectChanges(
      """
      ~ Shelf
          best: nil -> Volume(isbn: "2")
          name: "" -> "new"
      """
    ) { try app.tap("rename") }
  }

  @Test func `what came and went is told by its primary key, or numbered`() throws {
    let (app, shelf) = try screen()
    app.expectNoChange { #expect(throws: Stop.self) { try app.tap("fail") } }
    let volume = shelf.volumes[0]
    try app.expectChanges(
      """
      - Volume(isbn: "1")
      ~ Shelf 1
          volumes
            - Volume(isbn: "1") at 0
      + Shelf 2
          best: Volume(isbn: "2")
          name: "other"
      """, exhaustivity: .partial
    ) {
      try app.host.store.write {
        let other = Shelf()
        other.name = "other"
        other.best = shelf.volumes[1]
        try app.host.store.add(other)
        try app.host.store.delete(volume)
      }
    }
  }

  @Test func `several commits are told in sum`() throws {
    let (app, shelf) = try screen()
    app.expectChanges("~ Shelf\n    name: \"\" -> \"c\"") {
      shelf.name = "a"
      shelf.name = "b"
      shelf.name = "c"
    }
    app.expectNoChange {
      shelf.name = "d"
      shelf.name = "c"
    }
  }

  @Test func `an empty expectation tells what to expect`() throws {
    let (app, _) = try screen()
    #expect(
      try issues { try app.expectChanges("") { try app.tap("rename") } } == [
        #"""
        this has changed:
        """
        ~ Shelf
            best: nil -> Volume(isbn: "2")
            name: "" -> "new"
        """
        """#
      ])
    #expect(try issues { app.expectNoChange {} } == [])
    #expect(try issues { app.expectChanges("~ Shelf") {} } == ["nothing has changed"])
  }

  @Test func `differences are shown line by line, and then the whole change`() throws {
    let (app, _) = try screen()
    let messages = try issues {
      try app.expectChanges(
        """
        ~ Shelf
            best: nil -> Volume(isbn: "1")
            name: "" -> "new"
        """
      ) { try app.tap("rename") }
    }
    #expect(
      messages == [
        #"""
        other changes than expected (-: did not happen, +: not expected):
          ~ Shelf
        -     best: nil -> Volume(isbn: "1")
        +     best: nil -> Volume(isbn: "2")
              name: "" -> "new"

        all that has changed:
        """
        ~ Shelf
            best: nil -> Volume(isbn: "2")
            name: "" -> "new"
        """
        """#
      ])
  }

  @Test func `more bodies than allowed are told`() throws {
    let (app, shelf) = try screen()
    let messages = try issues {
      app.expectChanges("~ Shelf\n    name: \"\" -> \"a\"", bodies: 0) { shelf.name = "a" }
    }
    #expect(messages == [])
    #expect(
      try issues {
        try app.expectChanges("screen", exhaustivity: .partial, bodies: 0) { try app.tap("2") }
      } == [
        "2 bodies were evaluated, not at most 0"
      ])
  }

  @Test func `an async intent may be expected to change nothing, too`() async throws {
    let (app, shelf) = try screen()
    await app.expectNoChange { await Task.yield() }
    let messages = try await issues {
      await app.expectNoChange {
        await Task.yield()
        shelf.name = "b"
      }
    }
    #expect(
      messages == [
        #"""
        this has changed:
        """
        ~ Shelf
            name: "" -> "b"
        """
        """#
      ])
  }

  @Test func `an async intent is waited for`() async throws {
    let (app, shelf) = try screen()
    try await app.expectChanges("~ Shelf\n    name: \"\" -> \"later\"") {
      await Task.yield()
      try app.host.perform { shelf.name = "later" }
    }
  }

  @Test func `equal lines are elided`() throws {
    let store = Store(), shelf = Shelf()
    try store.add(shelf)
    let names = Signal((0..<20).map { "line \($0)" })
    let app = try TestHost(store) { ForEach(names.value, id: \.self) { Text($0) } }
    app.expectChanges("screen\n  text \"line 9\"\n- text \"line 10\"\n+ text \"other\"") {
      names.value[10] = "other"
    }
    let expected = (3...8).map { "\n- text \"line \($0)\"" }.joined()
    let messages = try issues {
      app.expectChanges("screen\n  text \"line 2\"\(expected)") {
        names.value.removeSubrange(3..<10)
      }
    }
    #expect(
      messages.first?.hasPrefix(
        """
        other changes than expected (-: did not happen, +: not expected):
          … 6 equal lines
          - text "line 7"
          - text "line 8"
        + - text "line 9"
        """) == true)
  }
}
