package import Foundation
package import Signals

extension DailyScrum {
  /// Creates a scrum that nobody has stored yet.
  package convenience init(
    _ title: String, minutes: Int, color: ScrumColor, attendees: [String], id: UUID = UUID()
  ) {
    self.init()
    (self.id, self.title, self.minutes) = (id, title, minutes)
    (self.color, self.attendees) = (color, attendees)
  }
}

/// The scrums that a new user begins with.
package enum Scrums {
  /// Makes them; not stored yet.
  package static func samples() -> [DailyScrum] {
    [
      DailyScrum(
        "Design", minutes: 10, color: .orange,
        attendees: ["Cathy", "Daisy", "Simon", "Jonathan"], id: id(1)),
      DailyScrum(
        "App Dev", minutes: 5, color: .teal,
        attendees: ["Katie", "Gray", "Euna", "Luis", "Darla"], id: id(2)),
      DailyScrum(
        "Web Dev", minutes: 1, color: .violet,
        attendees: [
          "Chella", "Chris", "Christina", "Eden", "Karla", "Lindsey", "Aga", "Chad", "Jenn",
          "Sarah",
        ], id: id(3)),
    ]
  }

  /// Stores them, as a beginning that no undo takes back.
  package static func seed(_ store: Store) throws {
    try store.write(undoable: false) { try store.add(samples()) }
  }

  private static func id(_ number: UInt8) -> UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number))
  }
}
