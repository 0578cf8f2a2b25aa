/// What can be published by key path.
public protocol PublishingObject: Object {}

extension Object: PublishingObject {}

extension PublishingObject {
  /// The present value of a property, or of what a key path leads to, then each new one.
  ///
  /// Values are coalesced, one for each transaction, and an equal one is none; see
  /// ``Signal/publisher``. After a deletion fields keep their last values. A subscription keeps the
  /// object alive.
  ///
  /// ```swift
  /// let token = book.publisher(for: \.author?.name).sink { print($0 ?? "unknown") }
  /// ```
  public func publisher<Value: Equatable>(
    for path: KeyPath<Self, Value>
  ) -> some Publisher<Value, Never> {
    Computed { self[keyPath: path] }.publisher
  }
}
