/// What a higher room keeps for one object, which tells it of its life; the object keeps it.
protocol ObjectCompanion: AnyObject {
  /// The object is about to be deleted: nothing was unlinked yet.
  func willDelete()

  /// The object's links lead nowhere for a reason of their own: its store is gone.
  func didLoseStore()
}

extension Object {
  /// Tells who accompanies the object that it is about to be deleted.
  ///
  /// O(1) if nobody does.
  final func announceDeletion() { unsafe watched?.companion?.willDelete() }
}
