/// A subscription to the exact changes of a result.
///
/// State: `receive`, nil once the subscription has ended, which is also when it returns false;
/// `skipped`, which finds the commits that aren't reported.
final class ResultsObserver: Cancellable {
  private let query: Query
  private let consumer: QueryConsumer
  private let observer: QueuedObserver
  private let skipped: OriginFilter?
  private var receive: ((CollectionChange<Object>) -> Bool)?

  init(
    _ query: Query, skipping origins: Set<Origin>,
    _ receive: @escaping (CollectionChange<Object>) -> Bool
  ) {
    self.query = query
    self.receive = receive
    let observer = QueuedObserver(.observers, name: "an observer of \(query.description)")
    self.observer = observer
    let skipped = origins.isEmpty ? nil : OriginFilter(origins, in: query.store)
    self.skipped = skipped
    consumer = QueryConsumer(skipping: skipped) { observer.enqueue() }
    skipped?.skip = { [unowned self] in self.query.skip(for: consumer) }
    query.add(consumer)
    observer.perform = { [unowned self] in deliver() }
    LiveSubscriptions.begin(self, SubscriptionName("an observer of \(query.description)"))
  }

  private func deliver() {
    skipped?.didLook()
    guard let receive, let change = query.takeChange(for: consumer) else { return }
    ImplicitTransaction.runReporting { if !receive(change) { cancel() } }
  }

  func cancel() {
    guard let ended = receive.take() else { return }
    skipped?.skip = {}
    LiveSubscriptions.end(self)
    query.remove(consumer)
    withExtendedLifetime(ended) {}
  }

  deinit { cancel() }
}
