// The blocks of a checkpoint.
//
// The objects of a checkpoint are in blocks, each with a separate hash, so that intact blocks are
// recognized in a damaged checkpoint. The heading is the block with the version of the app's
// classes, the classes and the replicas, on which all objects depend. It is there twice, at the
// beginning and at the end.
//
// Format: the kind of the operation, the size of the operations in the block in 4 bytes, the inverse
// of the size, the hash of the operations in 8 bytes, and the operations.

/// A block of a checkpoint.
struct FileBlock {
  /// The size of the operations at which a block ends.
  private static let largestSize = 512
  /// The number of bytes before the operations.
  private static let headSize = 17

  let operation: FileOperation
  /// The bytes of the block, as those of an entry.
  let entry: [UInt8]

  /// Returns the intact blocks of a damaged checkpoint, in order.
  static func blocks(in bytes: [UInt8]) -> [FileBlock] {
    var blocks: [FileBlock] = []
    // The first byte is the version.
    var offset = 1
    while offset < bytes.count {
      guard let operation = FileOperation(rawValue: bytes[offset]),
        let end = end(ofBlockAt: offset, in: bytes)
      else {
        offset += 1
        continue
      }
      blocks.append(
        FileBlock(operation: operation, entry: [FileContents.version] + bytes[offset..<end]))
      offset = end
    }
    return blocks
  }

  /// Returns the end of the block at an offset, or `nil` if no intact one begins there.
  private static func end(ofBlockAt offset: Int, in bytes: [UInt8]) -> Int? {
    let start = offset + headSize
    guard start <= bytes.count else { return nil }
    let (size, inverse) = (bytes.span.halfWord(at: offset + 1), bytes.span.halfWord(at: offset + 5))
    // The inverse excludes almost all bytes that aren't the head of a block, before they are hashed.
    guard inverse == ~size, Int(size) <= bytes.count - start else { return nil }
    let end = start + Int(size)
    let hash = XXHash64.hash(bytes.span, in: start..<end)
    return bytes.span.word(at: offset + 9) == hash ? end : nil
  }

  /// Begins a block, whose size and hash aren't known yet.
  ///
  /// - Returns: The offset of the block.
  static func begin(_ operation: FileOperation, in writer: inout ByteWriter) -> Int {
    let offset = writer.count
    writer.write(operation.rawValue)
    writer.write(contentsOf: [UInt8](repeating: 0, count: headSize - 1))
    return offset
  }

  /// Ends the block at an offset if it is large, and begins the next one.
  static func turn(_ offset: inout Int, in writer: inout ByteWriter) {
    if writer.count - offset - headSize < largestSize { return }
    end(offset, in: &writer)
    offset = begin(.block, in: &writer)
  }

  /// Ends the block at an offset.
  static func end(_ offset: Int, in writer: inout ByteWriter) {
    let operations = offset + headSize..<writer.count
    let size = UInt32(operations.count)
    let hash = XXHash64.hash(writer.bytes.span, in: operations)
    writer.store(word: UInt64(size) | UInt64(~size) << 32, at: offset + 1)
    writer.store(word: hash, at: offset + 9)
  }
}
