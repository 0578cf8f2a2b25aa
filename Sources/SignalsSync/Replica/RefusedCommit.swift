public import Signals

/// A commit that the log refused, and that was taken back here.
public struct RefusedCommit: Sendable, Equatable {
  /// A property that has the value again that it has without the refused commit, or an object that
  /// was created or deleted.
  public struct Change: Sendable, Hashable {
    /// The object.
    public let object: ObjectID
    /// The name of the property; nil if the object was created or deleted.
    public let property: String?
  }

  /// The partition.
  public let partition: Partition
  /// Why the commit was refused.
  public let reason: String
  /// What was taken back, in the order of the commit.
  public let changes: [Change]
  /// Whether the log refused another commit, on which this one depended.
  public let isConsequence: Bool

  init(_ set: SharedChangeSet, of partition: Partition, reason: String, isConsequence: Bool) {
    self.partition = partition
    self.reason = reason
    self.isConsequence = isConsequence
    changes = set.operations.map { operation in
      Change(
        object: operation.object,
        property: operation.kind.hasValue ? set.name(of: operation) : nil)
    }
  }
}
