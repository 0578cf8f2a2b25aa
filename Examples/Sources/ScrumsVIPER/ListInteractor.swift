package import ScrumsModel
import Signals

/// What can be done with all scrums.
package final class ListInteractor {
  private let world: World
  private let results: Results<DailyScrum>

  /// Works on the scrums of a world.
  package init(_ world: World) {
    self.world = world
    results = world.store.results(DailyScrum.self).sorted(by: \.title)
  }

  var scrums: [DailyScrum] { Array(results) }
  var status: String? { world.feed.status }
  var isLoading: Bool { world.feed.isLoading }

  func refresh() async { await world.feed.refresh() }
  func stop() { world.feed.stop() }
}
