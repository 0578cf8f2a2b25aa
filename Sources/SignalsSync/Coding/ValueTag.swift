/// The first byte of an encoded value, which states its kind.
///
/// The bytes below `0x80` and from `0x90` on include a small number or a small count. All other
/// bytes are errors.
enum ValueTag {
  /// `0x00`–`0x3f`: an integer from −32 to 31, in zigzag form.
  static let smallInteger: ClosedRange<UInt8> = 0x00...0x3f
  /// `0x40`–`0x7f`: a text of up to 63 bytes of UTF-8, which follow.
  static let shortText: ClosedRange<UInt8> = 0x40...0x7f
  /// The absence of a value.
  static let `nil`: UInt8 = 0x80
  static let `false`: UInt8 = 0x81
  static let `true`: UInt8 = 0x82
  /// An integer; a signed varint follows.
  static let integer: UInt8 = 0x83
  /// An integer greater than the greatest signed one; a varint follows.
  static let largeInteger: UInt8 = 0x84
  /// A floating-point number that 4 bytes can represent; these follow.
  static let float: UInt8 = 0x85
  /// A floating-point number of 8 bytes, which follow.
  static let double: UInt8 = 0x86
  /// A text; the number of its bytes of UTF-8 follows, and these.
  static let text: UInt8 = 0x87
  /// A text that is a UUID in capital letters; its 16 bytes follow.
  static let uuid: UInt8 = 0x88
  /// Bytes; their number follows, and these.
  static let bytes: UInt8 = 0x89
  /// The id of an object; 8 bytes of its replica follow, and its counter as a varint.
  static let object: UInt8 = 0x8a
  /// A list; the number of its elements follows, and these.
  static let list: UInt8 = 0x8b
  /// A record; the number of its entries follows, and these: a text and a value, ordered by the
  /// bytes of the text.
  static let record: UInt8 = 0x8c
  /// An optional that has a value, where that is itself the absence of a value, or such an
  /// optional.
  static let some: UInt8 = 0x8d
  /// `0x90`–`0x9f`: a list of up to 15 elements, which follow.
  static let shortList: ClosedRange<UInt8> = 0x90...0x9f
  /// `0xa0`–`0xaf`: a record of up to 15 entries, which follow.
  static let shortRecord: ClosedRange<UInt8> = 0xa0...0xaf

  /// Returns whether a tag begins an integer.
  @inline(__always)
  static func isInteger(_ tag: UInt8) -> Bool {
    smallInteger ~= tag || tag == integer || tag == largeInteger
  }

  /// The name of a tag's kind of value.
  static func name(of tag: UInt8) -> String {
    switch tag {
    case smallInteger, integer, largeInteger: "an integer"
    case shortText, text: "a text"
    case self.nil: "nil"
    case self.false, self.true: "a Boolean value"
    case float, double: "a floating-point number"
    case uuid: "a UUID"
    case bytes: "bytes"
    case object: "an object's id"
    case list, shortList: "a list"
    case record, shortRecord: "a record"
    case some: "an optional of an optional"
    default: "an unknown tag"
    }
  }
}
