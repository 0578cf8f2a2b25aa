// The owner of effects, scopes and cleanups: the effect, scope or view's body that makes them.
//
// State: the turn's `owner` points to the owner's collection; the owner cancels what was collected when it
// runs again or is disposed of. A computed is no owner, and what needs one traps there: whatever evaluates
// it first would own what it makes, and the next evaluation would have another owner or none. `outside` is
// the computed whose evaluation `detached` has left.

enum Owner {
  /// Traps in a computed, which owns nothing, unless `detached` has left it.
  static func checkCanMake(_ what: @autoclosure () -> String) {
    guard let reader = unsafe Node.presentReader else { return }
    let flags = unsafe reader.pointee.flags
    guard flags.contains(.pure), flags.isDisjoint(with: .watcher) || flags.contains(.row) else {
      return
    }
    if unsafe reader == Turn.current.pointee.outside { return }
    trap("\(what()) in \(unsafe Node.name(of: reader)): it may only read")
  }

  /// Hands a new effect to the owner that runs, if there is one.
  static func keep(_ effect: any Cancellable) {
    unsafe Turn.current.pointee.owner?.pointee.append(effect)
  }

  /// Runs `body` and collects what it makes.
  static func collect<Result>(
    into made: inout [any Cancellable], _ body: () throws -> Result
  ) rethrows -> Result {
    try unsafe withUnsafeMutablePointer(to: &made) { made throws in
      try unsafe collect(at: made, body)
    }
  }

  /// Runs `body` and adds what it makes to a collection that stays where it is.
  @inline(__always)
  static func collect<Result>(
    at made: UnsafeMutablePointer<[any Cancellable]>, _ body: () throws -> Result
  ) rethrows -> Result {
    let turn = unsafe Turn.current
    let outer = unsafe turn.pointee.owner
    unsafe turn.pointee.owner = unsafe made
    defer { unsafe turn.pointee.owner = unsafe outer }
    return try body()
  }

  /// Runs `body` so that what it makes lives as long as something holds it.
  static func withoutOwner<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let turn = unsafe Turn.current
    let outer = unsafe turn.pointee.owner
    unsafe turn.pointee.owner = nil
    defer { unsafe turn.pointee.owner = unsafe outer }
    return try body()
  }
}

/// Runs `body` as if it stood outside of the effect, scope, view or computed that runs.
///
/// - Effects and scopes that it makes have no owner: they live until they are cancelled or their last
///   reference goes, however often the code around runs again. In a computed no others can be made.
/// - What it reads is no dependency, as in ``untracked(_:)``; in a computed it may not write either.
///
/// ```swift
/// let editor = Effect {
///   guard isEditing.value, model == nil else { return }
///   model = detached { EditorModel() }  // the effects that it makes outlive this run
/// }
/// ```
///
/// - Returns: The result of `body`.
/// - Throws: The error of `body`.
@discardableResult
public func detached<Result, Failure: Error>(
  _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  let turn = unsafe Turn.current
  let outer = unsafe turn.pointee.outside
  unsafe turn.pointee.outside = Node.presentReader
  defer { unsafe turn.pointee.outside = unsafe outer }
  return try untracked { () throws(Failure) in try Owner.withoutOwner(body) }
}

/// Keeps the effects made inside a closure, so that they can be stopped together, the last first.
///
/// - A scope made in an effect, a scope or the body of a view is kept by that, and ends with it; see
///   ``detached(_:)`` for the way out. One made in a ``Computed`` traps.
/// - What the closure reads is a dependency of the effect or view that makes the scope, if there is one.
///
/// ```swift
/// let scope = EffectScope {
///   _ = Effect { print(a.value) }
///   _ = Effect { print(b.value) }
/// }
/// scope.cancel()
/// ```
public final class EffectScope: Cancellable {
  private var kept: [any Cancellable] = []

  /// Runs `body` and keeps the effects that it makes.
  public init(
    file: StaticString = #fileID, line: UInt = #line, _ body: () throws -> Void
  ) rethrows {
    Owner.checkCanMake("EffectScope at \(file):\(line)")
    var made: [any Cancellable] = []
    do {
      try Owner.collect(into: &made, body)
    } catch {
      for one in made.reversed() { one.cancel() }
      throw error
    }
    kept = made
    Owner.keep(self)
  }

  /// Stops everything that the scope keeps.
  public func cancel() {
    let stopping = kept
    kept = []
    // What a cleanup writes must not run what is about to stop.
    batch { for one in stopping.reversed() { one.cancel() } }
  }

  deinit { cancel() }
}
