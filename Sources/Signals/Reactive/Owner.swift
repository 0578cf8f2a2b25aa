// Who keeps the effects that are made without anybody keeping them.
//
// State: the turn's `owner` points to the collection of the effect, scope or view's body that runs;
// that cancels what was collected when it runs again or is disposed of.

enum Owner {
  /// Hands a new effect to whoever is running, if anybody is.
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

  /// Runs `body` so that nobody keeps what it makes but whoever holds it.
  static func withoutOwner<Result>(_ body: () throws -> Result) rethrows -> Result {
    let turn = unsafe Turn.current
    let outer = unsafe turn.pointee.owner
    unsafe turn.pointee.owner = nil
    defer { unsafe turn.pointee.owner = unsafe outer }
    return try body()
  }
}

/// Keeps the effects made inside a closure, so that they can be stopped together, the last first.
///
/// ```swift
/// let scope = EffectScope {
///   Effect { print(a.value) }
///   Effect { print(b.value) }
/// }
/// scope.cancel()
/// ```
public final class EffectScope: Cancellable {
  private var kept: [any Cancellable] = []

  /// Runs `body` and keeps the effects that it makes.
  public init(_ body: () throws -> Void) rethrows {
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
