import Shell
package import Signals
import SignalsTerminal

/// The course on a full screen, while the office changes it: a table, who was chosen, and what has just happened.
package struct PeopleTerminal: View {
  @Environment(\.store) private var store
  @ObservedResults(Desk.self) private var desks
  @State private var chosen: Person?
  private let work: RemoteWork
  private let number: Int

  /// Shows the course with a number, whenever there is one.
  package init(_ work: RemoteWork, number: Int) { (self.work, self.number) = (work, number) }

  /// What the view shows.
  package var body: Element {
    let work = work
    FullScreen(status: unread > 0 ? "\(unread) new" : "", keys: keys, fields: ["name"]) {
      CourseTitle(course: course, work: work)
      Table([
        TableColumn("Name", minWidth: 8, maxWidth: 36, flex: 1),
        TableColumn("Age", minWidth: 5, maxWidth: 5, alignment: .trailing),
      ]) {
        if let course {
          ForEach(course.members) { person in
            PersonLine(person: person, isChosen: person === chosen) { chosen = person }
          }
        }
      }
      ScrollBox {
        if let chosen { PersonDetail(person: chosen) { self.chosen = nil } }
        Divider()
        News(work: work)
      }.frame(maxHeight: chosen == nil ? 5 : 9)
    }
    .onKey("p") { work.isPaused.toggle() }
    .onKey("+") { work.speedUp() }
    .onKey("-") { work.slowDown() }
    .onKey("escape") { chosen = nil }
    .onKey("r", action: read)
    .onKey("u") { try store?.undo() }
    .task { try await work.run() }
  }

  private var course: Course? { store?.object(Course.self, primaryKey: number) }

  /// The number of changes since the user last read the news.
  private var unread: Int { work.done - (desks.first?.read ?? 0) }

  private func read() throws {
    guard let store else { return }
    // Undo takes back what was typed.
    try store.write(undoable: false) { try store.first(orAdd: Desk()).read = work.done }
  }

  private var keys: [FullScreen.Key] {
    [
      .init("p", work.isPaused ? "go on" : "pause"), .init("+", "faster"), .init("-", "slower"),
      .init("r", "read"), .init("u", "undo"),
    ]
  }
}

/// What the course is called, and how far the office has got.
struct CourseTitle: View {
  let course: Course?
  let work: RemoteWork

  var body: Element {
    Row {
      Text(course.map { "\($0.title): \($0.members.count)" } ?? "No course")
        .style(.title).frame(flex: 1)
      Text(
        "\(work.done)/\(work.limit), \(work.isPaused ? "paused" : "\(work.pace) ms")"
      ).style(.secondary)
    }
  }
}

/// One member of the course in the table.
struct PersonLine: View {
  @ObservedObject var person: Person
  let isChosen: Bool
  let choose: () -> Void

  var body: Element {
    TableRow(id: "person-\(person.number)") {
      Text(person.name).style(isChosen ? .accent : .emphasized)
      Text("\(person.age)")
    } onTap: {
      choose()
    }
  }
}

/// What has just happened elsewhere.
struct News: View {
  let work: RemoteWork

  var body: Element {
    Column {
      for (place, line) in work.news.enumerated() {
        if place == 0 { Text(line) } else { Text(line).style(.secondary) }
      }
    }.frame(minHeight: 4)
  }
}
