// Passes what is committed to the partitions of a replica.
//
// State: `touched`, the partitions that the commit being sealed has changes for.
//
// Order of events: the store passes each changed object of a commit, and each goes to the merging store of
// its partition; at the end of the commit each of these makes a change set.

internal import Signals

/// The receiver of the commits of a replica's store.
final class ReplicaCapture: CommitCapture {
  /// Not retained: the replica ends the capture before it is released.
  private let unretained: Unretained<Replica>
  fileprivate var replica: Replica { unretained.instance }
  fileprivate var touched: [PartitionReplica] = []

  init(_ replica: Replica) { unretained = Unretained(replica) }

  func capture(of schema: Schema) -> (any ClassCapture)? {
    guard let number = replica.classes.firstIndex(where: { $0.type == schema.type }) else {
      return nil
    }
    return PartitionedClass(self, number)
  }

  func didCommit(origin: Origin?) {
    for place in exchange(&touched, with: []) {
      place.merging.captureCommit()
      place.noteChange()
    }
  }
}

/// The receiver of the changes of one class of a replica.
private final class PartitionedClass: ClassCapture {
  private let capture: ReplicaCapture
  private let number: Int

  init(_ capture: ReplicaCapture, _ number: Int) {
    self.capture = capture
    self.number = number
  }

  /// The partition of a changed object, noted as touched.
  private func touch(_ object: Object) -> MergingStore {
    let place = capture.replica.place(of: object, class: number)
    if !capture.touched.contains(where: { $0 === place }) { capture.touched.append(place) }
    return place.merging
  }

  func didInsert(_ object: Object) { touch(object).pending.inserted.append(object) }

  func didDelete(_ object: Object, isDerived: Bool, before: ValuesBefore) {
    touch(object).pending.deleted.append((object, before))
  }

  func didWrite(_ object: Object, at offset: Int, old: Any) {
    touch(object).pending.written.append((object, offset, old))
  }

  func didCommitWrite(_ object: Object, at offset: Int, old: Any) {
    let place = capture.replica.place(of: object, class: number)
    let merging = place.merging
    if !merging.captureLoneWrite(of: object, at: offset, in: merging.state.classes[number]) {
      merging.pending.written.append((object, offset, old))
      merging.captureCommit()
    }
    place.noteChange()
  }
}
