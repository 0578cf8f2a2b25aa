/// One registration for the exact changes of a result.
///
/// State: `receive` goes when the registration ends, which is also when it returns false.
final class ResultsObserver: Cancellable {
  private let query: Query
  private let consumer: QueryConsumer
  private let watcher: QueuedWatcher
  private var receive: ((CollectionChange<Object>) -> Bool)?

  init(_ query: Query, _ receive: @escaping (CollectionChange<Object>) -> Bool) {
    self.query = query
    self.receive = receive
    let watcher = QueuedWatcher(.observers, name: "an observer of \(query.description)")
    self.watcher = watcher
    consumer = QueryConsumer { watcher.enqueue() }
    query.add(consumer)
    watcher.perform = { [unowned self] in deliver() }
    LiveSubscriptions.begin(self, SubscriptionName("an observer of \(query.description)"))
  }

  private func deliver() {
    guard let receive, let change = query.takeChange(for: consumer) else { return }
    Callback.runReporting { if !receive(change) { cancel() } }
  }

  func cancel() {
    guard let ended = receive.take() else { return }
    LiveSubscriptions.end(self)
    query.remove(consumer)
    withExtendedLifetime(ended) {}
  }

  deinit { cancel() }
}
