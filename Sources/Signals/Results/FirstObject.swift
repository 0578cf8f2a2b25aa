// The root object of an app.

extension Store {
  /// Returns the first stored object of a class, or adds a new one if there is none: the root of an
  /// app.
  ///
  /// - On the first launch, this adds `new`. After a relaunch with a store made from a snapshot, it
  ///   returns the stored object.
  /// - Adding the object can't be undone. If it were added by `add`, undoing one step too many
  ///   would remove it, and later writes would stay in the removed object.
  /// - The first object is the one that was added first, of the class or its subclasses.
  /// - `new` is evaluated only if there is no such object. All objects that it reaches are added
  ///   with it. If adding is refused, nothing is added.
  /// - The call isn't a dependency.
  ///
  /// ```swift
  /// let list = try store.first(orAdd: TodoList())
  /// ```
  ///
  /// - Throws: The errors of `new` and of ``add(_:onConflict:keeping:)-(Element,_,_)``.
  /// - Complexity: O(*n*), where *n* is the number of objects of the class.
  @discardableResult
  public func first<Root: Object>(
    orAdd new: @autoclosure () throws -> Root
  ) throws -> Root {
    let stored = untracked { results(Root.self).first }
    return try stored ?? write(undoable: false) { try add(new()) }
  }
}
