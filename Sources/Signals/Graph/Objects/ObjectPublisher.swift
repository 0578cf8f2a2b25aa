// Objects as publishers. `publisher(for:)` sends the latest value, coalesced. `changes` sends every
// change, relative to the state that the subscriber saw last.

extension KeyPathObservable {
  /// Returns a publisher of the current value at a key path, and then of each new one.
  ///
  /// - Values are coalesced: one for each transaction, and none if it equals the last; see
  ///   ``Signal/publisher``. Use ``changes`` or ``changes(of:skipping:)`` where no step may be
  ///   lost.
  /// - After a deletion, fields keep their last values, links are `nil` and lists are empty.
  /// - A subscription keeps the object alive.
  ///
  /// ```swift
  /// let token = book.publisher(for: \.author?.name).sink { print($0 ?? "unknown") }
  /// ```
  ///
  /// - Parameter path: The key path of the value.
  /// - Returns: A publisher of the current value and each new one.
  public func publisher<Value: Equatable>(
    for path: KeyPath<Self, Value>
  ) -> some Publisher<Value, Never> {
    Computed { self[keyPath: path] }.publisher
  }

  /// A publisher of the exact change of each commit that changes a property, deletes the object, or
  /// adds it.
  ///
  /// - No change is lost. Each is relative to the state that this subscriber saw last, as in
  ///   ``KeyPathObservable/observe(skipping:_:)``.
  /// - Changes are delivered after the commit and after effects, in order, one at a time.
  /// - A subscription keeps the object alive.
  ///
  /// ```swift
  /// let token = book.changes.compactMap { $0.new(\.title) }.sink { print("now", $0) }
  /// ```
  public var changes: some Publisher<TypedChange<Self>, Never> {
    ObjectChangesPublisher(object: self)
  }
}

struct ObjectChangesPublisher<Root: KeyPathObservable>: Publisher {
  typealias Output = TypedChange<Root>
  typealias Failure = Never

  let object: Root

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Never {
    let observer = UncheckedState<(any Cancellable)?>(nil)
    let end = Cancellation { observer.value.take()?.cancel() }
    // The observer itself holds the object weakly.
    observer.value = object.observe { [object] change in
      withExtendedLifetime(object) { if !downstream.receive(change) { end.cancel() } }
    }
    return end
  }
}
