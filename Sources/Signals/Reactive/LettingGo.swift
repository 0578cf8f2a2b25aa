// Releasing values that the library's structures drop.
//
// Releasing the last reference to a user's object, value or closure releases everything that it
// owns, and a `deinit` is user code: it may write, delete, undo, add and cancel. It must not find a
// half-changed structure. So a value that a structure drops is removed from it, kept until every
// structure is consistent, and only then released by the functions in this file.
//
// State, in the turn: `isLettingGo`, whether a release is under way; `left`, the values that wait
// for the next release or the one under way.
//
// Order of events: a structure drops a value, which `leave` or a local variable keeps. The change
// completes. Then `letGo` releases the value and everything in `left`, one at a time. Values that
// the library drops because of a `deinit` are added to `left`, so that a chain of them may have any
// length.

private import CSignalsThread

/// The reader and owner that are suspended during a release.
@safe struct LettingGo {
  fileprivate let reader: UnsafeMutableRawPointer?
  fileprivate let owner: UnsafeMutablePointer<[any Cancellable]>?
}

extension Turn {
  /// Keeps a value until the next release; called while structures are being changed.
  static func leave(_ value: Any) { unsafe current.pointee.left.append(value) }

  /// Releases a value that no structure contains any more, and the values in `left`.
  ///
  /// All structures must be consistent. The caller passes the value with `consume`, so that no copy
  /// outlives the release.
  static func letGo<Value>(of value: consuming Value) {
    let turn = unsafe current
    if unsafe turn.pointee.isLettingGo {
      unsafe turn.pointee.left.append(consume value)
      return
    }
    let release = unsafe beginLettingGo(turn)
    end(consume value)
    unsafe endLettingGo(turn, release)
  }

  /// Releases the values in `left`, unless a release is under way.
  static func letGo() {
    let turn = unsafe current
    if unsafe turn.pointee.isLettingGo || turn.pointee.left.isEmpty { return }
    unsafe endLettingGo(turn, unsafe beginLettingGo(turn))
  }

  /// Runs `body`, and then releases all values that were dropped in it.
  static func lettingGo(_ body: () -> Void) {
    let turn = unsafe current
    if unsafe turn.pointee.isLettingGo { return body() }
    let release = unsafe beginLettingGo(turn)
    body()
    unsafe endLettingGo(turn, release)
  }

  /// Begins a release; none may be under way.
  ///
  /// Code that runs during the release has no reader and no owner.
  @inline(__always)
  static func beginLettingGo(_ turn: UnsafeMutablePointer<Turn>) -> LettingGo {
    unsafe turn.pointee.isLettingGo = true
    let thread = unsafe signals_thread_current()
    let release = unsafe LettingGo(reader: thread.pointee.reader, owner: turn.pointee.owner)
    unsafe thread.pointee.reader = nil
    unsafe turn.pointee.owner = nil
    return release
  }

  /// Ends a release, after releasing the values in `left`.
  @inline(__always)
  static func endLettingGo(_ turn: UnsafeMutablePointer<Turn>, _ release: LettingGo) {
    while let value = unsafe turn.pointee.left.popLast() { end(consume value) }
    unsafe turn.pointee.isLettingGo = false
    unsafe turn.pointee.owner = unsafe release.owner
    unsafe signals_thread_current().pointee.reader = unsafe release.reader
  }

  /// Releases a value, which is moved here, before it returns.
  @inline(never)
  @_semantics("optimize.sil.specialize.owned2guarantee.never")
  private static func end<Value>(_ value: consuming Value) {}
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
func exchange<Value>(_ place: inout Value, with value: consuming Value) -> Value {
  if _isPOD(Value.self) {
    let old = place
    place = value
    return old
  }
  return exchangeOutOfLine(&place, value)
}

@inlinable
@inline(never)
func exchangeOutOfLine<Value>(_ place: inout Value, _ value: consuming Value) -> Value {
  var value = value
  swap(&place, &value)
  return value
}

/// Whether releasing a value of a type may run user code.
@inline(__always)
func mayRunCode<Value>(_ type: Value.Type) -> Bool { !_isPOD(type) && type != String.self }
