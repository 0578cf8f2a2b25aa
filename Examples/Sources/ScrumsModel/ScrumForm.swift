package import Foundation

/// Which scrum a form is of, and who is about to be added; what stands in its fields is kept with the draft.
package struct ScrumForm: Codable, Equatable, Sendable {
  /// Under which key the draft is kept.
  package static let draft = "scrums.form"

  package let isNew: Bool
  /// The scrum that is edited, or that will be.
  package let id: UUID
  /// Who is about to be added.
  package var newAttendee = ""

  /// The form of a new scrum.
  package init() { (isNew, id) = (true, UUID()) }

  /// The form of a scrum.
  package init(_ scrum: DailyScrum) { (isNew, id) = (false, scrum.id) }

  /// The scrum that a new form is of, unstored; nil if the form is of one that was stored.
  package var newScrum: DailyScrum? {
    guard isNew else { return nil }
    let scrum = DailyScrum()
    scrum.id = id
    return scrum
  }
}
