package import Signals

/// Brings a store up to date with a service, and tells how that goes.
package final class ScrumFeed {
  private let connection: Connection
  private let loader: Loader<[DailyScrum]>

  /// Feeds a store from a connection, when it is asked to.
  package init(_ connection: Connection, into store: Store) {
    self.connection = connection
    // What only this device knows stays.
    loader = Loader(into: store, keeping: [\.history]) { _ in
      try await connection.records().map(\.scrum)
    }
  }

  /// Fetches everything anew: scrums that are known are brought up to date, others added, none removed.
  package func refresh() async { await loader.reload() }

  /// Stops what is under way: nothing comes of it.
  package func stop() { loader.cancel() }

  /// Whether it fetches.
  package var isLoading: Bool { loader.state.isLoading }

  /// What a person should know, if there is anything.
  package var status: String? {
    switch loader.state {
    case .loading: "Refreshing…"
    case .failed(let error, _): "Could not refresh: \(error)"
    case .loaded where connection.isOffline: "Offline: the scrums of the last time"
    case .loaded: connection.cacheProblem.map { "Not kept for offline: \($0)" }
    case .idle: nil
    }
  }
}
