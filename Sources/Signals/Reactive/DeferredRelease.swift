// Releasing values that the library's structures drop.
//
// Releasing the last reference to a user's object, value or closure releases everything that it
// owns, and a `deinit` is user code: it may write, delete, undo, add and cancel. It must not find a
// half-changed structure. So a value that a structure drops is removed from it, kept until every
// structure is consistent, and only then released by the functions in this file.
//
// Order of events: a structure drops a value, which `deferRelease` or a local variable keeps. The
// change completes. Then `release` releases the value and everything in `pendingReleases`, one at a
// time. Values that the library drops because of a `deinit` are added to `pendingReleases`, so
// releasing a chain of any length needs no recursion.

/// The reader and owner that are suspended during a release.
@safe struct DeferredRelease {
  fileprivate let reader: NodePointer?
  fileprivate let owner: UncheckedPointer<[any Cancellable]>?
}

extension Scheduler {
  /// Keeps a value until the next release; called while structures are being changed.
  static func deferRelease(_ value: Any) { current.pointee.pendingReleases.append(value) }

  /// Releases a value that has been removed from all structures, and the values in
  /// `pendingReleases`.
  ///
  /// All structures must be consistent. The caller passes the value with `consume`, so that no copy
  /// outlives the release.
  static func release<Value>(of value: consuming Value) {
    let scheduler = current
    if scheduler.pointee.isReleasing {
      scheduler.pointee.pendingReleases.append(consume value)
      return
    }
    let release = beginRelease(in: scheduler)
    end(consume value)
    endRelease(release, in: scheduler)
  }

  /// Releases the values in `pendingReleases`, unless a release is under way.
  static func release() {
    let scheduler = current
    if scheduler.pointee.isReleasing || scheduler.pointee.pendingReleases.isEmpty { return }
    endRelease(beginRelease(in: scheduler), in: scheduler)
  }

  /// Runs `body`, and then releases all values that were dropped in it.
  static func releasing(_ body: () -> Void) {
    let scheduler = current
    if scheduler.pointee.isReleasing { return body() }
    let release = beginRelease(in: scheduler)
    body()
    endRelease(release, in: scheduler)
  }

  /// Begins a release; none may be under way.
  ///
  /// Code that runs during the release has no reader and no owner.
  @inline(__always)
  static func beginRelease(in scheduler: SchedulerPointer) -> DeferredRelease {
    scheduler.pointee.isReleasing = true
    let release = DeferredRelease(reader: Node.reader, owner: scheduler.pointee.owner)
    Node.reader = nil
    scheduler.pointee.owner = nil
    return release
  }

  /// Ends a release, after releasing the values in `pendingReleases`.
  @inline(__always)
  static func endRelease(_ release: DeferredRelease, in scheduler: SchedulerPointer) {
    while let value = scheduler.pointee.pendingReleases.popLast() { end(consume value) }
    scheduler.pointee.isReleasing = false
    scheduler.pointee.owner = release.owner
    Node.reader = release.reader
  }

  /// Releases a value, which is moved here, before it returns.
  @inline(never)
  @_semantics("optimize.sil.specialize.owned2guarantee.never")
  static func end<Value>(_ value: consuming Value) {}
}

/// Stores a value in a place, and returns the previous value.
///
/// An assignment would release the previous value while the place is being written, and the value's
/// `deinit`, which is user code, may read the place. The caller releases the returned value after
/// the write.
///
/// It is an out-of-line call unless there is nothing to release. If it were inlined, the optimizer
/// would move the write after the release.
@inlinable
@inline(__always)
package func exchange<Value>(_ place: inout Value, with value: consuming Value) -> Value {
  if _isPOD(Value.self) {
    let old = place
    place = value
    return old
  }
  return exchangeOutOfLine(&place, with: value)
}

@inlinable
@inline(never)
func exchangeOutOfLine<Value>(_ place: inout Value, with value: consuming Value) -> Value {
  var value = value
  swap(&place, &value)
  return value
}

/// Whether releasing a value of a type may run user code.
@inline(__always)
func mayRunCode<Value>(_ type: Value.Type) -> Bool { !_isPOD(type) && type != String.self }
