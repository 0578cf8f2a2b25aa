// Projections as publishers: `publisher(for:)` is of values, coalesced; `changes` of what happened, all of
// it.

extension RootedProjection {
  /// The present value of a property, then each new one.
  ///
  /// - Values are coalesced, one for each transaction, and an equal one is none; see
  ///   ``Signal/publisher``. What must not lose a step is sent by ``changes``.
  /// - A subscription keeps the projection alive.
  ///
  /// ```swift
  /// let token = row.publisher(for: \.author).sink { print($0 ?? "unknown") }
  /// ```
  public func publisher<Value: Equatable>(
    for path: KeyPath<Self, Value>
  ) -> some Publisher<Value, Never> {
    Computed { self[keyPath: path] }.publisher
  }

  /// The exact change of each commit that changes a projected property, deletes the root, or brings it
  /// back.
  ///
  /// - None is lost: each says what became of what this subscriber saw last, as ``observe(_:)`` does.
  /// - They are delivered after the commit, after effects, in order, one at a time.
  /// - A subscription keeps the projection alive.
  public var changes: some Publisher<ProjectionChange<Self>, Never> {
    ProjectionChangesPublisher(projection: self)
  }
}

struct ProjectionChangesPublisher<Row: RootedProjection>: Publisher {
  typealias Output = ProjectionChange<Row>
  typealias Failure = Never

  let projection: Row

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Never {
    let observer = Box<(any Cancellable)?>(nil)
    let end = Cancellation { unsafe observer.value.take()?.cancel() }
    unsafe observer.value = projection.observe { change in
      if !downstream.receive(change) { end.cancel() }
    }
    return end
  }
}
