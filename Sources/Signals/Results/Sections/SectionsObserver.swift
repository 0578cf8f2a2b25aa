/// A consumer of the exact changes of sections.
final class SectionsConsumer {
  /// The changes since the consumer last looked; nil if there are none.
  var recorder: SectionsRecorder?
}

/// A subscription to the exact changes of sections.
///
/// State: `receive`, nil once the subscription has ended; `skipped`, which finds the commits that
/// aren't reported.
final class SectionsObserver: Cancellable {
  private let list: SectionList
  private let consumer: QueryConsumer
  private let sectionsConsumer = SectionsConsumer()
  private let observer: QueuedObserver
  private let skipped: OriginFilter?
  private var receive: ((SectionsDifference) -> Bool)?

  init(
    _ list: SectionList, skipping origins: Set<Origin>,
    _ receive: @escaping (SectionsDifference) -> Bool
  ) {
    self.list = list
    self.receive = receive
    let observer = QueuedObserver(
      .observers, name: "an observer of the sections of \(list.query.type)")
    self.observer = observer
    let skipped = origins.isEmpty ? nil : OriginFilter(origins, in: list.query.store)
    self.skipped = skipped
    consumer = QueryConsumer(skipping: skipped) { observer.enqueue() }
    skipped?.skip = { [unowned self] in
      self.list.query.skip(for: consumer)
      sectionsConsumer.recorder = nil
    }
    list.query.add(consumer)
    list.add(sectionsConsumer)
    observer.perform = { [unowned self] in deliver() }
    LiveSubscriptions.begin(
      self, SubscriptionName("an observer of the sections of \(list.query.type)"))
  }

  private func deliver() {
    skipped?.didLook()
    guard let receive else { return }
    list.query.refreshSettled()
    let modified = list.query.consumers.takeRecorder(of: consumer)?.modified ?? []
    let recorder = sectionsConsumer.recorder.take() ?? SectionsRecorder(list)
    let difference = recorder.difference(in: list, modified: modified)
    if difference.isEmpty { return }
    ImplicitTransaction.runReporting { if !receive(difference) { cancel() } }
  }

  func cancel() {
    guard let receive = receive.take() else { return }
    skipped?.skip = {}
    LiveSubscriptions.end(self)
    let ended = (receive, sectionsConsumer.recorder.take())
    list.remove(sectionsConsumer)
    list.query.remove(consumer)
    withExtendedLifetime(ended) {}
  }

  deinit { cancel() }
}
