// Releasing what the library's structures drop.
//
// With the last reference to an object, a value or a closure of the user's goes what that owns, and a `deinit` is
// user code: it writes, deletes, undoes, adds, cancels. It may meet no structure that is half changed. So what a
// structure drops is taken out of it, kept until every structure is whole, and only then released: by this.
//
// State, in the turn: `isLettingGo`, whether a release is under way; `left`, what waits for the next one, or for the
// one under way.
//
// Order of events: a structure drops a value, which `leave` or a local variable keeps; the change is complete;
// `letGo` releases the value and all that was left, one at a time: what a `deinit` makes the library drop is left
// to the release under way, so that a chain of them may have any length.

private import CSignalsThread

/// What a release puts aside.
@safe struct LettingGo {
  fileprivate let reader: UnsafeMutableRawPointer?
  fileprivate let owner: UnsafeMutablePointer<[any Cancellable]>?
}

extension Turn {
  /// Keeps a value until the next release, where structures are being changed.
  static func leave(_ value: Any) { unsafe current.pointee.left.append(value) }

  /// Releases a value that no structure has any more, and what was left; all structures are whole.
  ///
  /// The caller passes it with `consume`, so that no copy outlives the release.
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

  /// Releases what was left, unless that is under way.
  static func letGo() {
    let turn = unsafe current
    if unsafe turn.pointee.isLettingGo || turn.pointee.left.isEmpty { return }
    unsafe endLettingGo(turn, unsafe beginLettingGo(turn))
  }

  /// Runs `body`, and then releases all that was dropped in it.
  static func lettingGo(_ body: () -> Void) {
    let turn = unsafe current
    if unsafe turn.pointee.isLettingGo { return body() }
    let release = unsafe beginLettingGo(turn)
    body()
    unsafe endLettingGo(turn, release)
  }

  /// Begins a release; none is under way.
  ///
  /// What runs in it is read and owned by nobody.
  @inline(__always)
  static func beginLettingGo(_ turn: UnsafeMutablePointer<Turn>) -> LettingGo {
    unsafe turn.pointee.isLettingGo = true
    let thread = unsafe signals_thread_current()
    let release = unsafe LettingGo(reader: thread.pointee.reader, owner: turn.pointee.owner)
    unsafe thread.pointee.reader = nil
    unsafe turn.pointee.owner = nil
    return release
  }

  /// Ends a release, with what was left to it.
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

/// Stores a value in a place, and returns the value that was there.
///
/// An assignment releases the old value while the place is being written, and its `deinit`, which is user code,
/// may read the place. The caller releases what this returns, after the write.
///
/// It is a call, unless there is nothing to release: inlined, the optimizer moves the write after the release.
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

/// Whether the end of a value of a type may run code of the user's.
@inline(__always)
func mayRunCode<Value>(_ type: Value.Type) -> Bool { !_isPOD(type) && type != String.self }
