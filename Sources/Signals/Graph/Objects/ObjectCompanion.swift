/// An object of a higher room that accompanies a graph object and is notified of its deletion.
///
/// The graph object retains its companion.
protocol ObjectCompanion: AnyObject {
  /// Called before the object is deleted, while nothing has been unlinked yet.
  func willDelete()

  /// Called after the object has lost its links because its store was deallocated.
  func didLoseStore()
}

extension Object {
  /// Notifies the object's companion that the object is about to be deleted.
  ///
  /// - Complexity: O(1) without a companion.
  final func announceDeletion() { propertyNodes?.companion?.willDelete() }
}
