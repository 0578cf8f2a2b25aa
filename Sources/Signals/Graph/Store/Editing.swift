// Changing several things at once where nothing can be thrown.

extension Store {
  /// Makes all that `body` writes one commit, as a plain setter does for one property; it throws nothing.
  ///
  /// If a write in it is refused, all of `body` is undone, and ``onRefusal`` gets the error. Within a
  /// transaction, intent or effect it is a part of that, which then throws the error at its end. Use
  /// ``write(label:origin:undoable:_:)`` where you can throw.
  public func edit(_ body: () -> Void) {
    Node.checkMayWrite("a store")
    mutate { _ in body() }
  }
}

extension Object {
  /// Makes all that `body` writes one commit of the object's store, and throws nothing; see ``Store/edit(_:)``.
  ///
  /// A plain call on an unstored object. It is what the setter of a computed property can use:
  ///
  /// ```swift
  /// var color: Color {
  ///   get { Color(red: red, green: green, blue: blue) }
  ///   set { edit { (red, green, blue) = (newValue.red, newValue.green, newValue.blue) } }
  /// }
  /// ```
  public final func edit(_ body: () -> Void) {
    guard let store = unsafe extent?.store else { return body() }
    store.edit(body)
  }
}
