// The receivers of a store's commits, which pass them to its merging store.

internal import Signals

/// The changes of a commit, as the store passes them.
struct PendingCommit {
  var inserted: [Object] = []
  var deleted: [(object: Object, before: ValuesBefore)] = []
  var written: [(object: Object, offset: Int, old: Any)] = []
}

/// Passes the commits of a store to its merging store, which retains the store.
final class CaptureRelay: CommitCapture {
  /// Not retained, and not weak, which would slow down each retain of it: it ends the capture before
  /// it is released.
  private let unretained: Unretained<MergingStore>
  private var target: MergingStore { unretained.instance }

  init(_ target: MergingStore) { unretained = Unretained(target) }

  func capture(of schema: Schema) -> (any ClassCapture)? {
    guard let shared = target.classesByType[ObjectIdentifier(schema.type)] else {
      return nil
    }
    return ClassRelay(target, shared)
  }

  func didCommit(origin: Origin?) { target.captureCommit() }
}

/// Passes the changes of one class to the merging store.
final class ClassRelay: ClassCapture {
  /// Not retained: the merging store ends the capture before it is released.
  private let unretained: Unretained<MergingStore>
  private let shared: ClassState
  private var target: MergingStore { unretained.instance }

  init(_ target: MergingStore, _ shared: ClassState) {
    unretained = Unretained(target)
    self.shared = shared
  }

  func didCommitWrite(_ object: Object, at offset: Int, old: Any) {
    let target = target
    if target.captureLoneWrite(of: object, at: offset, in: shared) { return }
    target.pending.written.append((object, offset, old))
    target.captureCommit()
  }

  func didInsert(_ object: Object) { target.pending.inserted.append(object) }

  func didDelete(_ object: Object, isDerived: Bool, before: ValuesBefore) {
    target.pending.deleted.append((object, before))
  }

  func didWrite(_ object: Object, at offset: Int, old: Any) {
    target.pending.written.append((object, offset, old))
  }
}
