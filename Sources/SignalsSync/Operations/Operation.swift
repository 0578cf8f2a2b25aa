package import Signals

/// One change of one object in a ``SharedChangeSet``.
///
/// It has no references: its name is an index into the set's names, and its value is a range of the
/// set's bytes.
package struct Operation: Equatable, Sendable {
  /// What an operation does.
  package enum Kind: UInt8, Sendable, CaseIterable {
    /// Creates the object; the name is its class. It has no value.
    case create
    /// Deletes the object; the name is its class. It has no value.
    case delete
    /// Sets a property; of two values, that with the later stamp wins.
    case set
    /// Adds to a property; the value is the difference.
    case add
    /// Raises a property to at least a value.
    case maximum
    /// Edits a list; the value is bytes that only lists understand.
    case list

    /// Whether operations of this kind have a value.
    package var hasValue: Bool { self != .create && self != .delete }
  }

  /// The object.
  package let object: ObjectID
  /// The index of the class or property in ``SharedChangeSet/names``.
  package internal(set) var name: UInt32
  /// Where the value begins in ``SharedChangeSet/bytes``.
  package private(set) var valueOffset: UInt32
  /// The number of the value's bytes; zero without a value.
  package private(set) var valueCount: UInt32
  /// What the operation does.
  package let kind: Kind

  init(kind: Kind, object: ObjectID, name: UInt32, value: Range<Int>) {
    self.kind = kind
    self.object = object
    self.name = name
    valueOffset = UInt32(value.lowerBound)
    valueCount = UInt32(value.count)
  }

  /// Where the value lies in ``SharedChangeSet/bytes``.
  package internal(set) var value: Range<Int> {
    get { Int(valueOffset)..<Int(valueOffset) + Int(valueCount) }
    set {
      valueOffset = UInt32(newValue.lowerBound)
      valueCount = UInt32(newValue.count)
    }
  }
}
