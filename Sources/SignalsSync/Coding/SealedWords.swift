internal import Signals

/// The name and version of a format of files: the first eight bytes of each file.
package struct FileFormat: Equatable, Sendable {
  /// Seven ASCII characters, and the version in the highest byte.
  package let word: UInt64

  /// Creates a format.
  package init(_ name: String, version: UInt8) {
    if name.utf8.count != 7 { trap("the name of a format has seven bytes, unlike \(name)") }
    let bytes = Array(name.utf8) + [version]
    word = bytes.span.word(at: 0)
  }

  /// The version.
  package var version: UInt8 { UInt8(truncatingIfNeeded: word >> 56) }

  /// Returns whether a first word identifies another version of this format.
  func isOtherVersion(of other: UInt64) -> Bool { other != word && other << 8 == word << 8 }
}

/// A record of integers that begins with its format and ends with a hash that detects damage.
///
/// The format's eight bytes come first, then the number of integers, the integers, and the hash.
package struct SealedWords: Equatable {
  /// The reason why bytes are not a record.
  package enum Failure: Error, Equatable {
    case incomplete
    case otherFormat
    case otherVersion(UInt8)
    case otherHash
  }

  /// The integers.
  package var words: [UInt64]

  package init(_ words: [UInt64]) { self.words = words }

  /// Returns the size of a record, in bytes.
  package static func size(ofWords count: Int) -> Int { 24 + 8 * count }

  /// Returns the record's bytes.
  package func bytes(as format: FileFormat) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(word: format.word)
    bytes.append(word: UInt64(words.count))
    for word in words { bytes.append(word: word) }
    bytes.append(word: XXHash64.hash(bytes.span))
    return bytes
  }

  /// Reads a record from the beginning of bytes.
  ///
  /// - Throws: The reason why the bytes aren't a record.
  package init(_ bytes: [UInt8], as format: FileFormat) throws(Failure) {
    guard bytes.count >= Self.size(ofWords: 0) else { throw .incomplete }
    let found = bytes.span.word(at: 0)
    if format.isOtherVersion(of: found) { throw .otherVersion(UInt8(found >> 56)) }
    guard found == format.word else { throw .otherFormat }
    let count = bytes.span.word(at: 8)
    guard count <= UInt64((bytes.count - Self.size(ofWords: 0)) / 8) else { throw .incomplete }
    let end = 16 + 8 * Int(count)
    guard XXHash64.hash(bytes.span, in: 0..<end) == bytes.span.word(at: end) else {
      throw .otherHash
    }
    words = (0..<Int(count)).map { bytes.span.word(at: 16 + 8 * $0) }
  }
}
