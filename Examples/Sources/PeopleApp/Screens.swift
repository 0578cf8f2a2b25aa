package import Signals

/// A course that others may change, and delete, while it is on screen.
package struct CourseScreen: View {
  @Environment(\.store) private var store
  @State private var chosen: Person?
  private let number: Int

  /// Shows the course with a number, whenever there is one.
  package init(number: Int) { self.number = number }

  /// What the view shows.
  package var body: Element {
    if let course = store?.object(Course.self, primaryKey: number) {
      Text("\(course.title): \(course.members.count)")
      ForEach(course.members) { person in
        PersonRow(person: person) { chosen = person }
      }
    } else {
      Text("There is no course \(number)")
    }
    if let chosen { PersonDetail(person: chosen) { self.chosen = nil } }
  }
}

/// One member of a course.
struct PersonRow: View {
  @ObservedObject var person: Person
  let choose: () -> Void

  var body: Element {
    Button("\(person.name), \(person.age)", id: "person-\(person.number)", action: choose)
  }
}

/// The one that the user has chosen, who may leave meanwhile.
struct PersonDetail: View {
  @ObservedObject var person: Person
  let close: () -> Void

  var body: Element {
    Section(person.isDeleted ? "\(person.name) has left" : "Chosen: \(person.name)") {
      Text("\(person.age) years old")
      TextField("Name", text: $person.name, id: "name").disabled(person.isDeleted)
      Button("Close", id: "close", action: close)
    }
  }
}
