extension Query {
  /// Subscribes to the exact changes of the query.
  ///
  /// - Parameters:
  ///   - origins: The origins whose commits aren't reported.
  ///   - receive: Called with each change; returns false to end the subscription.
  func observe(
    skipping origins: Set<Origin>, _ receive: @escaping (CollectionChange<Object>) -> Bool
  ) -> any Cancellable {
    let registration = Registration(
      .observers, name: "an observer of \(self.description)", receive)
    let filter = origins.isEmpty ? nil : OriginFilter(origins, in: store)
    let consumer = QueryConsumer(skipping: filter) { [observer = registration.observer] in
      observer.enqueue()
    }
    filter?.skip = { [unowned self] in skip(for: consumer) }
    add(consumer)
    registration.next = { [self] in
      filter?.didLook()
      return takeChange(for: consumer)
    }
    registration.onEnd = { [self] in
      filter?.skip = {}
      remove(consumer)
    }
    return registration
  }
}
