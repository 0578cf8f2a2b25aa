public import Signals

extension Object {
  /// Whether the object has changes that the server of its store hasn't decided; reads are tracked.
  ///
  /// It is `false` if the store isn't that of a ``Replica``.
  ///
  /// ```swift
  /// ForEach(cards) { card in
  ///   Text(card.hasPendingChanges ? "\(card.text) …" : card.text)
  /// }
  /// ```
  public var hasPendingChanges: Bool {
    store.flatMap(Replica.of)?.isPending(self) ?? false
  }
}
