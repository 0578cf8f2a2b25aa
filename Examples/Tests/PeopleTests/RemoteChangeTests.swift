import Foundation
import PeopleApp
import Signals
import SignalsTesting
import Testing

/// A course on screen, while another actor changes and deletes it.
@MainActor
@Suite struct `A course that others change` {
  let store = Store()

  /// How many remote changes to make in all; each is followed by a read of every row.
  private var steps: Int {
    ProcessInfo.processInfo.environment["PEOPLE_STEPS"].flatMap { Int($0) } ?? 2000
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `no crash, no stale row, and both sides are equal in the end`(_ seed: UInt64) async throws {
    let app = try TestHost(store) { CourseScreen(number: 1) }
    let office = Office(store.snapshot(), seed: seed)
    var chosen: Person?
    for round in 0..<steps / 400 {
      for change in try await office.work(100) {
        try store.apply(change)
        try check(app, chosen, "seed \(seed), round \(round)")
      }
      // The user goes on: opens one that is there, edits it or one that has left, closes it.
      if app.exists("close") {
        try app.tap("close")
        chosen = nil
      } else if let person = course?.members.last {
        try app.tap("person-\(person.number)")
        chosen = person
        try check(app, chosen, "seed \(seed), round \(round), chosen")
      }
    }
    #expect(store.snapshot().changes(to: await office.snapshot).isEmpty, "seed \(seed)")
  }

  private var course: Course? { store.object(Course.self, primaryKey: 1) }

  /// Whether the screen shows what is stored, line by line.
  private func check(_ app: TestHost, _ chosen: Person?, _ place: String) throws {
    var lines: [String] = []
    if let course {
      lines.append("\(course.title): \(course.members.count)")
      lines += course.members.map { "[\($0.name), \($0.age)]" }
    } else {
      lines.append("There is no course 1")
    }
    if let chosen {
      lines.append(chosen.isDeleted ? "\(chosen.name) has left" : "Chosen: \(chosen.name)")
      lines += ["\(chosen.age) years old", "Name: [\(chosen.name)]", "[Close]"]
    }
    // One comparison a step: `#expect` would describe both each time.
    let expected = lines.joined(separator: "\n")
    if app.text != expected { Issue.record("\(place): \(app.text)\ninstead of\n\(expected)") }
  }

  @Test func `who has left keeps what was known, and can't be edited`() async throws {
    let person = Person()
    (person.number, person.name, person.age) = (1, "Ada", 12)
    let course = Course()
    (course.number, course.title) = (1, "Logic")
    course.members.append(person)
    try store.add(course)
    let app = try TestHost(store) { CourseScreen(number: 1) }
    try app.tap("person-1")
    try app.type("Ada L.", into: "name")
    #expect(app.text.hasPrefix("Logic: 1\n[Ada L., 12]\nChosen: Ada L."))
    let elsewhere = Store(store.snapshot())
    var sent: [ChangeSet] = []
    let token = elsewhere.commits.sink { sent.append($0) }
    try elsewhere.delete(#require(elsewhere.object(Person.self, primaryKey: 1)))
    for change in sent { try store.apply(change) }
    #expect(app.text.hasPrefix("Logic: 0\nAda L. has left\n12 years old"))
    #expect(throws: TestHostError.self) { try app.type("x", into: "name") }
    token.cancel()
  }
}
