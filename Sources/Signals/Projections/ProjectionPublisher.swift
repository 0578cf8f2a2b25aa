// Projections as publishers: `publisher(for:)` sends coalesced values, and `changes` sends every
// change.

extension ProjectionProtocol {
  /// Publishes the current value of a property, then each new value.
  ///
  /// - Values are coalesced to one per transaction, and equal values are skipped; see
  ///   ``Signal/publisher``. Use ``changes`` to receive every step.
  /// - A subscription keeps the projection alive.
  ///
  /// ```swift
  /// let token = row.publisher(for: \.author).sink { print($0 ?? "unknown") }
  /// ```
  ///
  /// - Parameter path: The key path of the property.
  /// - Returns: A publisher of the current value and each new one.
  public func publisher<Value: Equatable>(
    for path: KeyPath<Self, Value>
  ) -> some Publisher<Value, Never> {
    Computed { self[keyPath: path] }.publisher
  }

  /// Publishes the exact change of each commit that changes a projected property, deletes the root,
  /// or restores it.
  ///
  /// - No change is lost: each one starts from the values that this subscriber saw last, as in
  ///   ``observe(_:)``.
  /// - Changes are delivered after the commit, after effects, in order, one at a time.
  /// - A subscription keeps the projection alive.
  public var changes: some Publisher<ProjectionChange<Self>, Never> {
    ChangesPublisher { [self] receive in
      let observer = UncheckedState<(any Cancellable)?>(nil)
      let end = Cancellation { observer.value.take()?.cancel() }
      observer.value = observe { if !receive($0) { end.cancel() } }
      return end
    }
  }
}
