// The coded form of a change set: a header, the operations, and then the values of all operations.
//
//   header      a byte of flags; what they announce, and the time: the difference of the milliseconds
//               to those of the last change set
//   operation   a byte with the kind, how the object is given and whether the name is; what they
//               announce
//   values      of the operations that have one, as they are in the set, but for links

/// The flags in the first byte of a change set.
enum ChangeSetFlags {
  /// Set in each, which tells a change set from the other messages.
  static let always: UInt8 = 0x80
  /// The author isn't that of the last change set.
  static let replica: UInt8 = 0x01
  /// The sequence isn't the next of the author.
  static let sequence: UInt8 = 0x02
  /// The author had merged something.
  static let seen: UInt8 = 0x04
  /// The number of operations isn't 1.
  static let count: UInt8 = 0x08
  /// The counter of the time isn't the expected one.
  static let counter: UInt8 = 0x10
  /// The partition isn't that of the last message; only in the first change set of a message.
  static let partition: UInt8 = 0x20
  /// The position isn't the expected one; only in the first change set of a message.
  static let position: UInt8 = 0x40
  /// The flags that a message adds to its first change set, and that which is always set.
  static let ofMessage: UInt8 = always | partition | position
}

/// The parts of the first byte of an operation.
enum OperationHeader {
  /// The kinds of ``Operation/Kind``, and one more.
  static let kindMask: UInt8 = 0x07
  /// The kind of an operation that sets a property to a link, which follows the name.
  static let link: UInt8 = 0x06

  static let objectMask: UInt8 = 0x18
  /// The object of the last operation.
  static let sameObject: UInt8 = 0x00
  /// The next object of the same creator.
  static let nextObject: UInt8 = 0x08
  /// Another object of the same creator: the difference of the counters follows.
  static let otherObject: UInt8 = 0x10
  /// An object of another creator: that and the difference to its last counter follow.
  static let otherCreator: UInt8 = 0x18

  /// The name isn't the predicted one.
  static let name: UInt8 = 0x20
  /// Always zero.
  static let unused: UInt8 = 0xc0
}

extension HybridTime {
  /// The counter that a time has if nothing else is announced.
  func expectedCounter(milliseconds: UInt64) -> UInt16 {
    milliseconds == self.milliseconds ? counter &+ 1 : 0
  }
}
