// How much work writing a field needs. `Store.writePath` in Store+Transactions.swift decides it. It
// is used where the field's type is known: in StoredProperty.swift, by Object+Access.swift and
// PropertyMutation.swift.

/// How a field write has to be handled.
@usableFromInline
enum FieldWritePath {
  /// Nothing can observe, refuse or undo the write, no transaction is open, and the current code
  /// may write.
  case none
  /// Nothing can observe or refuse the write, but it can be undone.
  ///
  /// It is a separate commit, recorded without a transaction.
  case undo
  /// The write needs a transaction.
  case full
}
