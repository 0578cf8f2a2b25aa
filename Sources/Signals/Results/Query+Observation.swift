extension Query {
  /// Subscribes to the exact changes of the query.
  ///
  /// - Parameters:
  ///   - origins: The origins whose commits aren't reported.
  ///   - receive: Called with each change; returns false to end the subscription.
  /// - Returns: The subscription.
  func observe(
    skipping origins: Set<Origin>, _ receive: @escaping (CollectionChange<Object>) -> Bool
  ) -> any Cancellable {
    let name = { [unowned self] in "an observer of \(description)" }
    return register(
      Registration(.observers, name: name(), receive), skipping: origins,
      next: { [self] in takeChange(for: $0) })
  }

  /// Makes a registration receive changes of the rows.
  ///
  /// - Parameters:
  ///   - registration: The subscription.
  ///   - origins: The origins whose commits aren't reported.
  ///   - next: Returns the event since the consumer last looked; nil if there is none. It keeps the
  ///     query alive.
  ///   - onSkip: Called when a commit with one of the origins isn't reported.
  ///   - onEnd: Called when the subscription ends.
  /// - Returns: The subscription.
  func register<Event>(
    _ registration: Registration<Event>, skipping origins: Set<Origin>,
    next: @escaping (QueryConsumer) -> Event?, onSkip: @escaping () -> Void = {},
    onEnd: @escaping () -> Void = {}
  ) -> any Cancellable {
    let filter = origins.isEmpty ? nil : OriginFilter(origins, in: store)
    let consumer = QueryConsumer(skipping: filter) { [observer = registration.observer] in
      observer.enqueue()
    }
    filter?.skip = { [unowned self] in
      skip(for: consumer)
      onSkip()
    }
    add(consumer)
    registration.next = {
      filter?.didLook()
      return next(consumer)
    }
    registration.onEnd = { [self] in
      filter?.skip = {}
      onEnd()
      remove(consumer)
    }
    return registration
  }
}
