// The owner of effects, scopes and cleanups: the effect, scope or view body that creates them.
//
// State: the turn's `owner` points to the owner's collection; the owner cancels the collected
// objects when it runs again or is disposed of. `outside` is the computed whose evaluation
// `detached` has left.
//
// A computed can't be an owner, and creating an object in it that needs one traps: the code that
// first evaluates the computed would own the object, and the next evaluation would have another
// owner or none.

enum Owner {
  /// Traps in a computed, which can't own anything, unless `detached` has left it.
  static func checkCanMake(_ what: @autoclosure () -> String) {
    guard let reader = unsafe Node.presentReader else { return }
    let flags = unsafe reader.pointee.flags
    guard flags.contains(.pure), flags.isDisjoint(with: .watcher) || flags.contains(.row) else {
      return
    }
    if unsafe reader == Turn.current.pointee.outside { return }
    trap("\(what()) in \(unsafe Node.name(of: reader)): it may only read")
  }

  /// Adds a new effect, scope or cleanup to the running owner, if there is one.
  static func keep(_ effect: any Cancellable) {
    unsafe Turn.current.pointee.owner?.pointee.append(effect)
  }

  /// Runs `body` and collects the effects, scopes and cleanups that it creates.
  static func collect<Result>(
    into made: inout [any Cancellable], _ body: () throws -> Result
  ) rethrows -> Result {
    try unsafe withUnsafeMutablePointer(to: &made) { made throws in
      try unsafe collect(at: made, body)
    }
  }

  /// Runs `body` and adds the objects that it creates to a collection that doesn't move.
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

  /// Runs `body` without an owner, so that the objects it creates live as long as they are
  /// referenced.
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

/// Runs `body` as if it were called outside the running effect, scope, view or computed.
///
/// - Effects and scopes that it creates have no owner. They live until they are cancelled or their
///   last reference is released, however often the surrounding code runs again. In a computed, this
///   is the only way to create them.
/// - Its reads aren't dependencies, as in ``untracked(_:)``. In a computed, it may not write
///   either.
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

/// Owns the effects created in a closure, so that they can be stopped together, the last first.
///
/// - A scope created in an effect, a scope or the body of a view is owned by it and ends with it,
///   unless it is created in ``detached(_:)``. Creating a scope in a ``Computed`` traps.
/// - The closure's reads are dependencies of the effect or view that creates the scope, if there is
///   one.
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

  /// Runs `body` and owns the effects that it creates.
  ///
  /// - Throws: The error of `body`, after stopping the effects created so far.
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

  /// Stops everything that the scope owns, the last first.
  public func cancel() {
    let stopping = kept
    kept = []
    // The writes of a cleanup must not run an effect that is about to stop.
    batch { for one in stopping.reversed() { one.cancel() } }
  }

  deinit { cancel() }
}
