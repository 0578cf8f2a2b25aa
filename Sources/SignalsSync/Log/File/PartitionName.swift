extension Partition {
  private static let suffix = ".log"
  private static let snapshotSuffix = ".snapshot"

  /// The name of the file for the partition's entries.
  package var logName: String { stem + Self.suffix }

  /// The name of the file for the partition's snapshot.
  package var snapshotName: String { stem + Self.snapshotSuffix }

  /// The name, with a `%` and two digits for each byte that isn't plain.
  ///
  /// Capitals aren't plain, because some file systems don't distinguish them from small letters.
  private var stem: String {
    var stem: [UInt8] = []
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "="), UInt8(ascii: "-"), UInt8(ascii: "_"):
        stem.append(byte)
      default:
        stem.append(UInt8(ascii: "%"))
        stem.append(Self.digits[Int(byte >> 4)])
        stem.append(Self.digits[Int(byte & 15)])
      }
    }
    return String(decoding: stem, as: UTF8.self)
  }

  private static let digits = Array("0123456789abcdef".utf8)
}
