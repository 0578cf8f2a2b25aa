package import ScrumsModel
import Signals

/// A meeting under way.
package final class MeetingModel {
  private let scrum: DailyScrum
  private let app: AppModel
  private var ticking: (any Cancellable)?

  /// Shows the meeting of a scrum that an app is at.
  package init(_ app: AppModel, _ scrum: DailyScrum) { (self.app, self.scrum) = (app, scrum) }

  private var meeting: Meeting {
    get { app.screen.meeting ?? Meeting(of: scrum) }
    set { app.screen.meeting = newValue }
  }

  var title: String { scrum.title }
  package var progress: Double { meeting.progress }
  package var time: String { meeting.time }
  package var speaker: String { meeting.speaker }
  package var place: String { meeting.place }
  package var notes: String {
    get { meeting.transcript }
    set { meeting.transcript = newValue }
  }

  /// Lets the time of the meeting pass, until it is left.
  package func start() {
    ticking = app.world.ticker { [unowned self] in meeting.advance(by: $0) }
  }

  package func skip() { meeting.skip() }
  package func stop() { ticking = nil }

  package func end() {
    scrum.record(meeting, at: app.world.now())
    app.screen = .detail(scrum.id)
  }
}
