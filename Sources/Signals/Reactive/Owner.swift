// The owner of effects, scopes and cleanups: the effect, scope or view body that creates them.
//
// The owner collects the objects that it creates (`Scheduler.owner`), and cancels them when it runs
// again or is disposed of.
//
// A computed can't be an owner, and creating an object in it that needs one traps: the code that
// first evaluates the computed would own the object, and the next evaluation would have another
// owner or none.

enum Owner {
  /// Traps in a computed, which can't own anything, unless the code runs in `detached`.
  static func checkCanMake(_ what: @autoclosure () -> String) {
    guard let reader = Node.presentReader else { return }
    let flags = reader.pointee.flags
    guard flags.contains(.pure), flags.isDisjoint(with: .observer) || flags.contains(.element)
    else {
      return
    }
    if reader == Scheduler.current.pointee.outside { return }
    trap("\(what()) in \(Node.name(of: reader)): it may only read")
  }

  /// Adds a new effect, scope or cleanup to the running owner, if there is one.
  static func keep(_ effect: any Cancellable) {
    Scheduler.current.pointee.owner?.pointee.append(effect)
  }

  /// Runs `body` and collects the effects, scopes and cleanups that it creates.
  static func collect<Result>(
    into made: inout [any Cancellable], _ body: () throws -> Result
  ) rethrows -> Result {
    try UncheckedPointer.with(&made) { try collect(at: $0, body) }
  }

  /// Runs `body` and adds the objects that it creates to a collection that doesn't move.
  @inline(__always)
  static func collect<Result>(
    at made: UncheckedPointer<[any Cancellable]>, _ body: () throws -> Result
  ) rethrows -> Result {
    let scheduler = Scheduler.current
    let outer = scheduler.pointee.owner
    scheduler.pointee.owner = made
    defer { scheduler.pointee.owner = outer }
    return try body()
  }

  /// Runs `body` without an owner, so that the objects it creates live as long as they are
  /// referenced.
  static func withoutOwner<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let scheduler = Scheduler.current
    let outer = scheduler.pointee.owner
    scheduler.pointee.owner = nil
    defer { scheduler.pointee.owner = outer }
    return try body()
  }
}

/// Runs `body` as if it were called outside the running effect, scope, view or computed.
///
/// - Effects and scopes that it creates have no owner. They live until they are cancelled or their
///   last reference is released, however often the surrounding code runs again. In a computed, this
///   is the only way to create them.
/// - Its reads aren't dependencies, as in ``untracked(_:)``. In a computed, it must not write
///   either.
///
/// ```swift
/// let editor = Effect {
///   guard isEditing.value, model == nil else { return }
///   model = detached { EditorModel() }  // the effects that it makes outlive this run
/// }
/// ```
///
/// - Parameter body: The closure to run.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`.
@discardableResult
public func detached<Result, Failure: Error>(
  _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  let scheduler = Scheduler.current
  let outer = scheduler.pointee.outside
  scheduler.pointee.outside = Node.presentReader
  defer { scheduler.pointee.outside = outer }
  return try untracked { () throws(Failure) in try Owner.withoutOwner(body) }
}
