// The object that an app begins with.

extension Store {
  /// The first stored object of a class, or a new one that is added if there is none: the root of an app.
  ///
  /// - It is what is there after a relaunch, if the store was made of a snapshot, and what is made the first time.
  /// - No undo takes the adding back. An object that `add` has added goes with the first step that is undone too
  ///   often, and what is written to it from then on stays with it.
  /// - The first is that which was added first, of the class or of its subclasses. `new` is made only if there is
  ///   none; all that it reaches is added with it, and nothing if that is refused.
  ///
  /// ```swift
  /// let list = try store.first(orAdd: TodoList())
  /// ```
  ///
  /// Not a dependency. Throws what `new` and ``add(_:onConflict:keeping:)-(Element,_,_)`` do. O(objects of the class).
  @discardableResult
  public func first<Root: Object>(
    orAdd new: @autoclosure () throws -> Root
  ) throws -> Root {
    let stored = untracked { results(Root.self).first }
    return try stored ?? write(undoable: false) { try add(new()) }
  }
}
