/// The effect of starting an async intent while an earlier run of it is under way.
///
/// The runs of an intent are those of one element, or of one key of one view.
///
/// ```swift
/// Button("Search", overlap: .cancelsEarlier) { hits = try await server.search(query) }
/// Button("Pay", overlap: .refused) { try await order.pay() }
/// ```
public enum IntentOverlap: Hashable, Sendable {
  /// The runs overlap. The last write decides which result is shown.
  case allowed
  /// The earlier run is cancelled and replaced.
  ///
  /// From then on it has ended as far as the host is concerned. It isn't busy, no handler gets its
  /// error, and its writes to view state are dropped. If it ignores its cancellation, it goes on
  /// running, and ``ViewHost/workInFlight`` lists it.
  case cancelsEarlier
  /// The new run is refused with ``HostError/underWay(_:)``. The element or key is disabled until
  /// the earlier run has ended.
  case refused
}
