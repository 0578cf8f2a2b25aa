package import Foundation
package import Signals

/// A meeting that a team has every day, with those who attend and what came of it.
package final class DailyScrum: Object {
  @PrimaryKey package var id = UUID()
  @Field package var title = ""
  @Field package var attendees: [String] = []
  @Field package var minutes = 5
  @Link package var colorComponents: ColorComponents?
  /// The meetings there were, the latest first.
  @Links package var history: List<History>

  /// The color as a value, which binds like any property: `$scrum.color`; it is written at once.
  package var color: ScrumColor {
    get { colorComponents?.color ?? .standard }
    set {
      edit {
        let components = colorComponents ?? ColorComponents()
        components.color = newValue
        colorComponents = components
      }
    }
  }

  /// Adds somebody who attends; a blank name is nobody.
  package func addAttendee(_ name: String) {
    if !name.isBlank { attendees.append(name.trimmed) }
  }

  /// Removes who stands at a place; nothing happens if nobody does.
  package func removeAttendee(at place: Int) {
    if attendees.indices.contains(place) { attendees.remove(at: place) }
  }

  /// Puts a meeting that is over in front of the history.
  package func record(_ meeting: Meeting, at date: Date) {
    history.insert(History(of: meeting, at: date), at: 0)
  }
}

/// What is wrong with a scrum stands beside the fields of its form.
extension DailyScrum: Validating {
  /// Says what is wrong.
  package func validate(_ check: inout Validation) {
    check.require(!title.isBlank, at: \DailyScrum.title, "A scrum needs a title")
    check.require((1...60).contains(minutes), at: \DailyScrum.minutes, "Between 1 and 60 minutes")
    check.require(!attendees.isEmpty, at: \DailyScrum.attendees, "Somebody has to attend")
  }
}
