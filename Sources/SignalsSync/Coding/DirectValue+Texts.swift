internal import Signals

extension String: DirectlyEncodable, DirectlyDecodable {
  func write(to writer: inout ByteWriter, depth: Int) {
    let count = utf8.count
    if count == UUIDText.count, let bytes = UUIDText.bytes(of: utf8) {
      writer.write(ValueTag.uuid)
      writer.write(contentsOf: bytes)
    } else {
      writeKey(count: count, to: &writer)
    }
  }

  /// Writes the text as the key of a record, which is never encoded as a UUID.
  func writeKey(to writer: inout ByteWriter) { writeKey(count: utf8.count, to: &writer) }

  private func writeKey(count: Int, to writer: inout ByteWriter) {
    writer.writeTextHead(count: count)
    writer.writeUTF8(of: self)
  }

  static func read(from reader: inout ByteReader, depth: Int) throws(ValueCodingError) -> String {
    let tag = try reader.readTag()
    return switch tag {
    case ValueTag.shortText, ValueTag.text:
      try reader.text(in: reader.readText(of: tag, isKey: false))
    case ValueTag.uuid:
      try reader.checked { reader throws(ByteError) in
        UUIDText.text(of: try reader.readSlice(count: 16))
      }
    default: throw reader.mismatch(tag, String.self)
    }
  }
}

extension ByteReader {
  /// Returns the text of skipped bytes.
  func text(in range: Range<Int>) throws(ValueCodingError) -> String {
    var reader = self
    reader.move(to: range)
    return try reader.checked { reader throws(ByteError) in
      try reader.readUTF8(count: range.count)
    }
  }
}

/// The textual form of Foundation's `UUID`: 36 characters, in capital letters.
enum UUIDText {
  static let count = 36

  /// Returns the 16 bytes of a text in exactly this form, given by its UTF-8, or `nil`.
  static func bytes(of text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16)
    var high: UInt8?
    for (position, character) in text.enumerated() {
      switch (position, character) {
      case (8, UInt8(ascii: "-")), (13, UInt8(ascii: "-")), (18, UInt8(ascii: "-")),
        (23, UInt8(ascii: "-")):
        continue
      case (8, _), (13, _), (18, _), (23, _): return nil
      default: break
      }
      let digit: UInt8
      switch character {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = character - UInt8(ascii: "A") + 10
      default: return nil
      }
      if let upper = high {
        bytes.append(upper << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    return bytes.count == 16 ? bytes : nil
  }

  /// The text of 16 bytes.
  static func text(of bytes: some Sequence<UInt8>) -> String {
    var characters: [UInt8] = []
    characters.reserveCapacity(count)
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { characters.append(UInt8(ascii: "-")) }
      for digit in [byte >> 4, byte & 15] {
        characters.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
      }
    }
    return String(decoding: characters, as: UTF8.self)
  }
}

extension ObjectID: DirectlyEncodable, DirectlyDecodable {
  func write(to writer: inout ByteWriter, depth: Int) {
    writer.write(ValueTag.object)
    writer.writeFixed(replica)
    writer.writeVarint(counter)
  }

  static func read(from reader: inout ByteReader, depth: Int) throws(ValueCodingError) -> ObjectID {
    let tag = try reader.readTag()
    guard tag == ValueTag.object else { throw reader.mismatch(tag, ObjectID.self) }
    return try reader.checked { reader throws(ByteError) in
      ObjectID(replica: try reader.readFixed64(), counter: try reader.readVarint())
    }
  }
}
