// Signals and computeds as publishers.

/// A publisher of the values of an expression that can be read under tracking.
struct ObservationPublisher<Output>: Publisher {
  typealias Failure = Never

  let name: String
  let read: () -> Output

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Never {
    let subscriber = SerializedSubscriber(downstream)
    subscriber.connect { _ in
      let registration = Registration<Output>(.observers, name: name) { subscriber.send($0) }
      let observer = registration.observer
      registration.next = { [unowned observer, read] in
        observer.isStale ? observer.read { .some(read()) } : nil
      }
      if let first = observer.read({ Output?.some(read()) }) {
        untracked { _ = subscriber.send(first) }
      }
      return registration
    }
    return subscriber.connection
  }
}

extension Signal {
  /// A publisher of the current value, followed by each new value after its change has settled.
  ///
  /// - Values are coalesced: for each batch or transaction only the latest is sent, and an equal
  ///   one isn't sent. To send every step, use a ``Subject``, `store.commits` or `results.changes`.
  /// - They are delivered after effects, in the order in which observers subscribed, one at a time.
  /// - The current value is sent immediately, also in the middle of a batch or transaction.
  /// - A subscriber's writes are one transaction, and propagate when it returns.
  /// - A subscription keeps the signal alive.
  ///
  /// ```swift
  /// let token = count.publisher.map { "\($0) books" }.sink { print($0) }
  /// ```
  public var publisher: some Publisher<Value, Never> {
    ObservationPublisher(name: "a subscriber of a signal") { self.value }
  }
}

extension Computed {
  /// A publisher of the current value, followed by each new value after its change has settled.
  ///
  /// It has the same guarantees as ``Signal/publisher``. The computed is evaluated once for each
  /// change while it has subscribers.
  public var publisher: some Publisher<Value, Never> {
    ObservationPublisher(name: "a subscriber of a computed") { self.value }
  }
}
