// What writing a field sets off, told where the field's type is known: see Field.swift and Transactions.swift.

/// What the write of a field has to take care of.
@usableFromInline
enum WriteAttention {
  /// Nobody could see, refuse or undo it, no transaction is under way, and who runs may write.
  case none
  /// Nobody could see or refuse it, but it can be undone: a commit of its own, without a transaction.
  case undo
  /// It belongs into a transaction.
  case full
}

/// What is left to be done when a field was written in a transaction.
@usableFromInline
enum FieldWriteFollowUp {
  case nothing
  /// Live queries are told.
  case notice
  /// The transaction is the write's own, and ends.
  case commit
}
