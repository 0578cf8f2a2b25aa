// How much work writing a field needs. It is decided where the field's type is known: see
// Field.swift and Store+Transactions.swift.

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
