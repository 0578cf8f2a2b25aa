// Making several changes one commit where no error can be thrown.

extension Store {
  /// Makes all writes in `body` one commit, and throws nothing, like the setter of a property.
  ///
  /// If a write in it is refused, all of `body` is undone, and ``onRefusal`` is called with the
  /// error. Within a transaction, intent or effect, the writes are part of that, and it throws the
  /// error at its end. Use ``write(label:origin:undoable:_:)`` where you can throw.
  ///
  /// - Parameter body: The writes of the commit.
  public func edit(_ body: () -> Void) {
    Node.checkMayWrite("a store")
    mutate { _ in body() }
  }
}

extension Object {
  /// Makes all writes in `body` one commit of the object's store, and throws nothing; see
  /// ``Store/edit(_:)``.
  ///
  /// On an unstored object it only calls `body`. The setter of a computed property can use it:
  ///
  /// ```swift
  /// var color: Color {
  ///   get { Color(red: red, green: green, blue: blue) }
  ///   set { edit { (red, green, blue) = (newValue.red, newValue.green, newValue.blue) } }
  /// }
  /// ```
  ///
  /// - Parameter body: The writes of the commit.
  public final func edit(_ body: () -> Void) {
    guard let store = table?.store else { return body() }
    store.edit(body)
  }
}
