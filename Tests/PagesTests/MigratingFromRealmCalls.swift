// The calls that the tables of "Migrating from Realm" name: that they compile is the test.

import Signals

private final class Reminder: Object {
  @PrimaryKey var number = 0
  @Field var title = ""
  @Field var isFlagged = false
}

private final class Shelf: Object {
  @PrimaryKey var key = ""
  @Indexed var place = 0
  @Field var counts: [String: Int] = [:]
  @Field var marks: Set<Int> = []
  @Links var reminders: List<Reminder>
  @Link(onDelete: .cascade) var part: Part?
  @Link(onDelete: .deny) var other: Reminder?
}

private final class Part: EmbeddedObject {
  @Field var name = ""
  @Inverse(\Shelf.part) var shelves
}

private struct Calls: View {
  @ObservedResults(
    Reminder.self, sortedBy: .ascending(\.title), .descending(\.number), limit: 3,
    where: { $0.isFlagged }) var reminders
  @ObservedSections(Reminder.self, by: \.title) var sections
  @ObservedObject var shelf: Shelf
  @Environment(\.store) var store
  @State private var opened: Reminder?

  var body: Element {
    let shown = shelf.reminders
    TextField(
      "count",
      text: $shelf.counts["a", default: 0].map {
        "\($0)"
      } back: {
        Int($0)
      })
    Toggle("mark", isOn: $shelf.marks.contains(1))
    Button("list") {
      $shelf.reminders.append(Reminder())
      $shelf.reminders.remove(atOffsets: [0], in: shown)
      $shelf.reminders.move(fromOffsets: [0], toOffset: 1, in: shown)
    }
    ForEach($sections) { $section in
      Section(section.key) { Button("row") { try $section.remove(atOffsets: [0]) } }
    }
    Button("results") {
      try $reminders.append(Reminder())
      try $reminders.remove(reminders[0])
      try store?.delete(reminders[0])
    }
  }
}

private func calls(_ store: Store, _ reminder: Reminder) throws {
  _ = try store.add(reminder, onConflict: .theirs)
  _ = store.object(Reminder.self, primaryKey: 1)
  _ = store.object(reminder.objectID)
  let results = store.results(Reminder.self).where { $0.number > 300 }.sorted(by: \.title)
  _ = results.distinct(by: \.title).sectioned(by: \.title)
  _ = (
    results.value(.sum(\.number)), results.value(.min(\.number)), results.value(.average(\.number))
  )
  let tokens: [any Cancellable] = [
    results.observe { change in print(change.moves) },
    reminder.observe(skipping: ["form"]) { change in print(change.kind) },
    reminder.observe(\.title) { old, new in print(old, new) },
    store.commits.sink { print($0) },
    results.publisher.sink { print($0) },
    results.changes.sink { print($0) },
    reminder.changes.sink { print($0) },
  ]
  try store.write(origin: "form") { reminder.title = "" }
  try store.undo()
  try store.redo()
  let draft = store.draft(of: reminder)
  try draft.commit()
  let copy = Store(store.snapshot())
  _ = try copy.apply(ChangeSet(), onConflict: .theirs)
  tokens.forEach { $0.cancel() }
}
