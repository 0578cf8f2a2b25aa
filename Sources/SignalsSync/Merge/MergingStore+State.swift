// The merge state as bytes.

package import Signals

/// Why a merge state can't be read.
package enum MergeStateError: Error, Equatable {
  /// The bytes end too early, or have an invalid number or text.
  case damaged(ByteError)
  /// The state was written by a later version of the library.
  case unknownVersion(UInt64)
  /// The state has a class that isn't shared any more.
  case unknownClass(String)
  /// A number leads nowhere.
  case invalidReference(offset: Int)
  /// A change set can't be one.
  case invalidChangeSet(offset: Int)
  /// The state of a list can't be that of a list.
  case invalidList(PositionsError)
}

extension MergingStore {
  /// The merge state as bytes, which are kept with a snapshot of the store.
  ///
  /// Sets that wait for earlier ones, and sets made here that nothing has taken, are part of it.
  package func encodedState() -> [UInt8] { StateWriter.encode(self) }

  /// Continues to share a store that was restored from a snapshot.
  ///
  /// - Parameters:
  ///   - bytes: The merge state from when the snapshot was taken.
  ///   - store: The restored store.
  ///   - types: The shared classes.
  ///   - clock: Returns the replica's clock, given the last time it had made or seen.
  /// - Throws: ``MergeStateError``.
  package convenience init(
    restoring bytes: [UInt8], of store: Store, sharing types: [Object.Type],
    clock: (HybridTime) -> HybridClock = { HybridClock(after: $0) }
  ) throws(MergeStateError) {
    var reader = StateReader(bytes)
    let (replica, last) = try reader.readHead()
    self.init(store, sharing: types, as: replica, clock: clock(last))
    try reader.read(into: self)
  }
}
