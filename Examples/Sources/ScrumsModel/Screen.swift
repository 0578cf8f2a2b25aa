package import Foundation

/// Where the user is, and what is not yet in the graph: one value, so that it is kept whole or not at all.
///
/// All three apps keep it as a `@Restored`. Scrums are named, not held: one may be gone by the time the
/// app comes back.
package enum Screen: Codable, Equatable, Sendable {
  case list
  case detail(UUID)
  case form(ScrumForm)
  case meeting(UUID, Meeting)

  /// Under which key a store keeps it.
  package static let key = "scrums.screen"

  /// The form on screen.
  package var form: ScrumForm? {
    get { if case .form(let form) = self { form } else { nil } }
    set { if form != nil, let newValue { self = .form(newValue) } }
  }

  /// The meeting on screen.
  package var meeting: Meeting? {
    get { if case .meeting(_, let meeting) = self { meeting } else { nil } }
    set { if case .meeting(let id, _) = self, let newValue { self = .meeting(id, newValue) } }
  }
}

/// What stands in the fields of a form, so that it outlives the app.
package struct ScrumForm: Codable, Equatable, Sendable {
  /// The scrum that is edited, or that will be.
  package let id: UUID
  package let isNew: Bool
  package var title = ""
  package var minutes = 5
  package var color = ScrumColor.standard
  package var attendees: [String] = []
  /// Who is about to be added.
  package var newAttendee = ""

  /// An empty form of a new scrum.
  package init() { (id, isNew) = (UUID(), true) }

  /// A form with the values of a scrum, or of a draft of one.
  package init(_ scrum: DailyScrum, isNew: Bool = false, newAttendee: String = "") {
    (id, self.isNew, self.newAttendee) = (scrum.id, isNew, newAttendee)
    (title, minutes) = (scrum.title, scrum.minutes)
    (color, attendees) = (scrum.color, scrum.attendees)
  }

  /// The scrum that a new form is of, unstored; nil if the form is of one that was stored.
  package var newScrum: DailyScrum? {
    guard isNew else { return nil }
    let scrum = DailyScrum()
    scrum.id = id
    return scrum
  }

  /// Gives a scrum, or a draft of one, all that stands in the fields: those removed are removed there.
  package func fill(_ scrum: DailyScrum) {
    (scrum.title, scrum.minutes) = (title, minutes)
    (scrum.color, scrum.attendees) = (color, attendees)
  }
}
