package import ScrumsModel
import Signals

/// One scrum: who attends, and what came of its meetings.
package final class DetailModel {
  private let scrum: DailyScrum
  private let app: AppModel

  /// Shows a scrum of an app.
  package init(_ app: AppModel, _ scrum: DailyScrum) { (self.app, self.scrum) = (app, scrum) }

  var title: String { scrum.title }
  var facts: String { "\(scrum.minutes) min, \(scrum.color.name)" }
  var color: ScrumColor { scrum.color }
  var attendees: [String] { scrum.attendees }
  var historyTitle: String { "History: \(scrum.history.count)" }
  /// A line for each meeting, and one below for what was noted.
  var history: [String] {
    scrum.history.flatMap { past in
      past.transcript.isBlank ? [past.summary] : [past.summary, past.transcript]
    }
  }

  func start() { app.screen = .meeting(scrum.id, Meeting(of: scrum)) }
  func edit() { app.screen = .form(ScrumForm(scrum)) }
  func leave() { app.screen = .list }

  package func delete() throws {
    try app.world.store.delete(scrum)
    leave()
  }
}
