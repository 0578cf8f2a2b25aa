package import Foundation

/// What stands in the fields of a form, so that it outlives the app.
package struct ScrumForm: Codable, Equatable, Sendable {
  package let isNew: Bool
  /// The scrum as it was when the form was opened.
  private let base: ScrumRecord
  /// The scrum as the form has it.
  package var fields: ScrumRecord
  /// Who is about to be added.
  package var newAttendee = ""

  /// The form of a new scrum.
  package init() { self.init(DailyScrum(), isNew: true) }

  /// The form of a scrum.
  package init(_ scrum: DailyScrum) { self.init(scrum, isNew: false) }

  private init(_ scrum: DailyScrum, isNew: Bool) {
    self.isNew = isNew
    base = ScrumRecord(scrum)
    fields = base
  }

  /// The scrum that is edited, or that will be.
  package var id: UUID { base.id }

  /// The scrum that a new form is of, unstored; nil if the form is of one that was stored.
  package var newScrum: DailyScrum? {
    guard isNew else { return nil }
    let scrum = DailyScrum()
    scrum.id = id
    return scrum
  }

  /// Gives a draft what was changed in the fields; all else is as somebody may have left it since.
  package func fill(_ draft: DailyScrum) {
    if fields.title != base.title { draft.title = fields.title }
    if fields.minutes != base.minutes { draft.minutes = fields.minutes }
    if fields.color != base.color { draft.color = fields.color }
    if fields.attendees != base.attendees { draft.attendees = fields.attendees }
  }
}
