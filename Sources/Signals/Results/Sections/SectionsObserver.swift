/// A consumer of the exact changes of sections.
final class SectionsConsumer {
  /// What happened since it last looked; nil if nothing did.
  var recorder: SectionsRecorder?
}

/// One registration for the exact changes of sections.
///
/// State: `receive` goes when the registration ends.
final class SectionsObserver: Cancellable {
  private let list: SectionList
  private let consumer: QueryConsumer
  private let sectionsConsumer = SectionsConsumer()
  private let watcher: QueuedWatcher
  private var receive: ((SectionsDifference) -> Bool)?

  init(_ list: SectionList, _ receive: @escaping (SectionsDifference) -> Bool) {
    self.list = list
    self.receive = receive
    let watcher = QueuedWatcher(
      .observers, name: "an observer of the sections of \(list.query.type)")
    self.watcher = watcher
    consumer = QueryConsumer { watcher.enqueue() }
    list.query.add(consumer)
    list.add(sectionsConsumer)
    watcher.perform = { [unowned self] in deliver() }
    LiveSubscriptions.begin(
      self, SubscriptionName("an observer of the sections of \(list.query.type)"))
  }

  private func deliver() {
    guard let receive else { return }
    list.query.refreshSettled()
    let modified = list.query.consumers.takeRecorder(of: consumer)?.modified ?? []
    let recorder = sectionsConsumer.recorder.take() ?? SectionsRecorder(list)
    let difference = recorder.difference(in: list, modified: modified)
    if difference.isEmpty { return }
    Callback.runReporting { if !receive(difference) { cancel() } }
  }

  func cancel() {
    guard let receive = receive.take() else { return }
    LiveSubscriptions.end(self)
    let ended = (receive, sectionsConsumer.recorder.take())
    list.remove(sectionsConsumer)
    list.query.remove(consumer)
    withExtendedLifetime(ended) {}
  }

  deinit { cancel() }
}
