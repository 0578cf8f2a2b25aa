/// Owns the effects created in a closure, so that they can be stopped together, the last first.
///
/// - A scope created in an effect, a scope or the body of a view is owned by it and ends with it,
///   unless it is created in ``detached(_:)``. Creating a scope in a ``Computed`` traps.
/// - The effect or view that creates the scope, if there is one, depends on the closure's reads.
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
  /// - Parameters:
  ///   - file: The file of the call; leave it to the compiler.
  ///   - line: The line of the call; leave it to the compiler.
  ///   - body: The closure that creates the effects.
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
    if kept.isEmpty { return }
    Disposal.run(exchange(&kept, with: [])) { stopping in
      // The writes of a cleanup must not run an effect that is about to stop.
      batch { for one in stopping.reversed() { one.cancel() } }
    }
  }

  deinit { cancel() }
}
