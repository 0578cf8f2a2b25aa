import Signals
import SignalsTesting
import TestSupport
import Testing

private final class Chore: Object {
  @Field var title = ""
  @Field var isDone = false
}

private final class ChoreRow: Projection<Chore> {
  @Projected(\Chore.title) var title: String
  @Projected(\Chore.isDone) var isDone: Bool
}

/// Rows sorted by a flag: false stands before true.
@Suite struct `Results, sorted by a flag` {
  let store = Store()
  private let chores: [Chore]

  init() throws {
    chores = [("c", true), ("b", false), ("a", true), ("d", false)].map { title, isDone in
      let chore = Chore()
      (chore.title, chore.isDone) = (title, isDone)
      return chore
    }
    try store.add(chores)
  }

  @Test func `what is done stands last, and goes there as it is done`() {
    let rows = store.results(Chore.self).sorted(by: \.isDone)
    #expect(rows.map(\.title) == ["b", "d", "c", "a"])
    chores[1].isDone = true
    #expect(rows.map(\.title) == ["d", "c", "b", "a"])
    #expect(
      store.results(Chore.self).sorted(by: \.isDone, order: .descending).first?.title == "c")
  }

  @Test func `other keys decide among equals`() {
    let rows = store.results(Chore.self).sorted(by: .ascending(\.isDone), .ascending(\.title))
    #expect(rows.map(\.title) == ["b", "d", "a", "c"])
    let doneFirst = store.results(Chore.self)
      .sorted(by: .descending(\.isDone), .descending(\.title))
    #expect(doneFirst.map(\.title) == ["c", "a", "d", "b"])
  }

  @Test func `projections are sorted in the same way`() {
    let rows = store.results(Chore.self).projected(to: ChoreRow.self)
    #expect(rows.sorted(by: \.isDone).map(\.title) == ["b", "d", "c", "a"])
    let sorted = rows.sorted(by: .descending(\.isDone), .ascending(\.title))
    #expect(sorted.map(\.title) == ["a", "c", "b", "d"])
    #expect(
      rows.sorted(by: .ascending(\.isDone), .ascending(\.title)).map(\.title)
        == ["b", "d", "a", "c"])
  }

  private struct Chores: View {
    @ObservedResults(Chore.self, sortedBy: .ascending(\.isDone)) var chores
    @ObservedResults(ChoreRow.self, sortedBy: .descending(\.isDone)) var rows
    var body: Element {
      ForEach(chores) { Toggle($0.title, isOn: .constant($0.isDone)) }
      ForEach(rows) { Text($0.title) }
    }
  }

  @Test func `a view may say so at its wrapper`() throws {
    let app = try TestHost(store) { Chores() }
    #expect(app.text == "[ ] b\n[ ] d\n[x] c\n[x] a\nc\na\nb\nd")
  }
}
