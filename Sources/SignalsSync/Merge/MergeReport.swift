package import Signals

/// The result of a merge, with the values that it couldn't keep.
package struct MergeReport: Sendable {
  /// The number of change sets that were applied.
  package internal(set) var applied = 0
  /// The number of change sets that had been applied before.
  package internal(set) var duplicates = 0
  /// The number of change sets that wait for an earlier one of their author.
  package internal(set) var waiting = 0
  /// The values that lost against concurrent changes.
  package internal(set) var losses: [Loss] = []
  /// The objects that turned out to have one primary key.
  package internal(set) var aliases: [Alias] = []
  /// The parts that several owners, or a cycle of them, claimed.
  package internal(set) var ownership: [OwnershipLoss] = []
  /// The properties that got a value which their type can't hold; it is kept aside.
  package internal(set) var undecodable: [Subject] = []
  /// The counters whose sum their type can't hold; the nearest value is shown.
  package internal(set) var outOfRange: [Subject] = []

  /// A property of an object.
  package struct Subject: Hashable, Sendable {
    package let object: ObjectID
    package let className: String
    package let property: String
  }

  /// A value that was written while a value that wins against it was written elsewhere.
  package struct Loss: Hashable, Sendable {
    package let subject: Subject
    /// The value that lost, in the form of ``ValueCoding``.
    package let value: [UInt8]
    /// When and by which replica the value was written.
    package let loser: Stamp
    /// When and by which replica the value that won was written, or the object was deleted.
    package let winner: Stamp
    /// Whether a deletion won.
    package let isDeletion: Bool
  }

  /// Two objects with one primary key, which are one object from now on.
  package struct Alias: Hashable, Sendable {
    /// The smaller id, which represents both.
    package let id: ObjectID
    package let other: ObjectID
    package let className: String
  }

  /// An owner that has lost a part.
  package struct OwnershipLoss: Hashable, Sendable {
    package let part: ObjectID
    /// The owner, and the property in which it held the part.
    package let loser: Subject
    /// The object that owns the part now; nil if none does.
    package let owner: ObjectID?
  }
}

/// Why change sets aren't merged; nothing was changed.
package enum MergeError: Error, Equatable {
  /// A transaction of the store is open, or an intent, an effect or an observer is running.
  case transactionIsOpen
  /// A change set has a time that is too far ahead.
  case clockDrift(ClockDriftError)
}
