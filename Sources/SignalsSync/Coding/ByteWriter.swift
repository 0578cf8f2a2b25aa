/// Writes numbers and texts to a growing array of bytes.
///
/// Numbers of a fixed size are little-endian. A varint has 7 bits a byte, the lowest first, and the
/// high bit set in each byte but the last.
package struct ByteWriter: Sendable {
  /// The bytes written so far.
  package private(set) var bytes: [UInt8]

  /// Creates a writer without bytes.
  ///
  /// - Parameter capacity: The number of bytes for which memory is reserved.
  package init(capacity: Int = 0) {
    bytes = []
    if capacity > 0 { bytes.reserveCapacity(capacity) }
  }

  /// The number of bytes written.
  package var count: Int { bytes.count }

  /// Writes a byte.
  package mutating func write(_ byte: UInt8) {
    bytes.append(byte)
  }

  /// Writes bytes as they are.
  package mutating func write(contentsOf other: [UInt8]) {
    bytes.append(contentsOf: other)
  }

  /// Writes bytes as they are.
  package mutating func write(contentsOf other: ArraySlice<UInt8>) {
    bytes.append(contentsOf: other)
  }

  /// Writes a number in as few bytes as it needs, 1 to 10.
  package mutating func writeVarint(_ value: UInt64) {
    bytes.append(varint: value)
  }

  /// Writes a number in 4 bytes.
  package mutating func writeFixed(_ value: UInt32) {
    for shift in stride(from: 0 as UInt32, to: 32, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  /// Writes a number in 8 bytes.
  package mutating func writeFixed(_ value: UInt64) {
    writeFixed(UInt32(truncatingIfNeeded: value))
    writeFixed(UInt32(truncatingIfNeeded: value >> 32))
  }

  /// Writes a text as the number of its UTF-8 bytes, followed by the bytes.
  package mutating func writeText(_ text: String) {
    let utf8 = text.utf8
    writeVarint(UInt64(utf8.count))
    bytes.append(contentsOf: utf8)
  }

  /// Writes the UTF-8 bytes of a text, without their number.
  package mutating func writeUTF8(of text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  /// Replaces the 8 bytes at an offset by a number.
  package mutating func store(word: UInt64, at offset: Int) {
    bytes.store(word: word, at: offset)
  }

  /// Inserts a byte, and moves the bytes after it.
  package mutating func insert(_ byte: UInt8, at offset: Int) {
    bytes.insert(byte, at: offset)
  }

  /// Removes all bytes after the first ones.
  package mutating func truncate(to count: Int) {
    bytes.removeLast(bytes.count - count)
  }

  /// Removes all bytes and keeps the memory.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }
}

extension Int64 {
  /// The number with its sign in the lowest bit, so that numbers of small magnitude are short
  /// varints.
  package var zigzag: UInt64 {
    UInt64(bitPattern: (self << 1) ^ (self >> 63))
  }

  /// Creates the number with a zigzag form.
  package init(zigzag value: UInt64) {
    self = Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }
}
