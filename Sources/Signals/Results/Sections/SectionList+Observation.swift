/// A consumer of the exact changes of sections.
final class SectionsConsumer {
  /// The changes since the consumer last looked; nil if there are none.
  var recorder: SectionsRecorder?
}

extension SectionList {
  /// Subscribes to the exact changes of the sections and their rows.
  ///
  /// - Parameters:
  ///   - origins: The origins whose commits aren't reported.
  ///   - receive: Called with each change; returns false to end the subscription.
  func observe(
    skipping origins: Set<Origin>, _ receive: @escaping (SectionsDifference) -> Bool
  ) -> any Cancellable {
    let registration = Registration(
      .observers, name: "an observer of the sections of \(self.query.type)", receive)
    let filter = origins.isEmpty ? nil : OriginFilter(origins, in: query.store)
    let consumer = QueryConsumer(skipping: filter) { [observer = registration.observer] in
      observer.enqueue()
    }
    let sectionsConsumer = SectionsConsumer()
    filter?.skip = { [unowned self] in
      query.skip(for: consumer)
      sectionsConsumer.recorder = nil
    }
    query.add(consumer)
    add(sectionsConsumer)
    registration.next = { [self] in
      filter?.didLook()
      query.refreshSettled()
      let modified = query.consumers.takeRecorder(of: consumer)?.modified ?? []
      let recorder = sectionsConsumer.recorder.take() ?? SectionsRecorder(self)
      let difference = recorder.difference(in: self, modified: modified)
      return difference.isEmpty ? nil : difference
    }
    registration.onEnd = { [self] in
      filter?.skip = {}
      let unseen = sectionsConsumer.recorder.take()
      remove(sectionsConsumer)
      query.remove(consumer)
      withExtendedLifetime(unseen) {}
    }
    return registration
  }
}
