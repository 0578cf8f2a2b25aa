package import Foundation
package import ScrumsModel
package import Signals

/// What the list says of a scrum.
package final class ScrumRow: Projection<DailyScrum> {
  @Projected(\DailyScrum.id) package var id: UUID
  @Projected(\DailyScrum.title) package var title: String
  @Projected(\DailyScrum.summary) package var summary: String
  @Projected(\DailyScrum.color) package var color: ScrumColor
}

/// All scrums by title, and their service.
package final class ListModel {
  package let rows: Results<ScrumRow>
  private let app: AppModel

  /// Lists the scrums of an app.
  package init(_ app: AppModel) {
    self.app = app
    rows = app.world.store.results(DailyScrum.self).projected(to: ScrumRow.self)
      .sorted(by: \.title)
  }

  var title: String { "Daily scrums: \(rows.count)" }
  var status: String? { app.world.feed.status }
  var isLoading: Bool { app.world.feed.isLoading }

  func add() { app.screen = .form(ScrumForm()) }
  func open(_ row: ScrumRow) { app.screen = .detail(row.id) }
  func refresh() async { await app.world.feed.refresh() }
  func stop() { app.world.feed.stop() }
}
