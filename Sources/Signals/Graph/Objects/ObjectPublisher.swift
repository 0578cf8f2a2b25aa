// Objects as publishers. `publisher(for:)` is of values: the latest, coalesced. `changes` is of what
// happened: all of it, each from what the subscriber saw last.

extension KeyPathObservable {
  /// The present value of a property, or of what a key path leads to, then each new one.
  ///
  /// - Values are coalesced, one for each transaction, and an equal one is none; see
  ///   ``Signal/publisher``. What must not lose a step is sent by ``changes`` and ``changes(of:skipping:)``.
  /// - After a deletion fields keep their last values; links are nil and lists empty.
  /// - A subscription keeps the object alive.
  ///
  /// ```swift
  /// let token = book.publisher(for: \.author?.name).sink { print($0 ?? "unknown") }
  /// ```
  public func publisher<Value: Equatable>(
    for path: KeyPath<Self, Value>
  ) -> some Publisher<Value, Never> {
    Computed { self[keyPath: path] }.publisher
  }

  /// The exact change of each commit that changes a property, deletes the object, or adds it.
  ///
  /// - None is lost: each says what became of what this subscriber saw last, as
  ///   ``KeyPathObservable/observe(skipping:_:)`` does.
  /// - They are delivered after the commit, after effects, in order, one at a time.
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
    let observer = Box<(any Cancellable)?>(nil)
    let end = Cancellation { unsafe observer.value.take()?.cancel() }
    // The observer itself holds the object weakly.
    unsafe observer.value = object.observe { [object] change in
      withExtendedLifetime(object) { if !downstream.receive(change) { end.cancel() } }
    }
    return end
  }
}
