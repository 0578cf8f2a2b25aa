package import Foundation
package import Signals

/// What the screens need: the graph, and what there is outside of it.
package final class World {
  package let store: Store
  package let feed: ScrumFeed
  package let ticker: Ticker
  package let now: () -> Date

  /// Puts a world together.
  package init(
    _ store: Store, feed: ScrumFeed, ticker: Ticker, now: @escaping () -> Date = { Date() }
  ) {
    (self.store, self.feed) = (store, feed)
    (self.ticker, self.now) = (ticker, now)
  }

  /// The scrum of an id, while there is one; a read is a dependency.
  package func scrum(_ id: UUID) -> DailyScrum? {
    store.object(DailyScrum.self, primaryKey: id)
  }
}
