/// The packages of a Debian control file, such as dpkg's status file or the output of `apt-cache`.
///
/// - Every stanza with a `Package` field is a package; the others are passed over.
/// - Of several packages with one name the last wins, in the place of the first.
/// - A stanza that breaks the format is skipped and reported; the rest is not affected.
/// - Field names are compared without regard to ASCII case; values are trimmed; continuation lines
///   are joined with one space; comment lines are as if they were not there.
/// - Invalid UTF-8 in values is replaced by U+FFFD.
///
/// Reading takes one pass. Text is made of the kept fields alone, and a file is never in memory as
/// a whole.
public struct ControlFile: Sendable {
  /// The packages, each name once, in the order of the file.
  public let packages: [ControlPackage]

  /// The stanzas that were skipped, in the order of the file.
  public let malformed: [MalformedStanza]

  /// Reads the control file that `bytes` hold.
  public init(parsing bytes: Span<UInt8>) {
    var parser = StanzaParser()
    let read = parser.consumeLines(of: bytes)
    self.init(&parser, lastLine: bytes.extracting(read...))
  }

  /// Reads the control file at `path`, which may be anything that can be read to an end.
  ///
  /// - Throws: `ControlFileError` where `path` cannot be opened or read; a directory cannot.
  public init(contentsOf path: String) throws(ControlFileError) {
    var parser = StanzaParser()
    var file = try FileReader(path: path)
    // What is left after the last line feed of a chunk stays, and the next is read behind it.
    while try file.readMore() {
      file.drop(file.withBytes { parser.consumeLines(of: $0) })
    }
    self = file.withBytes { Self(&parser, lastLine: $0) }
  }

  private init(_ parser: inout StanzaParser, lastLine: Span<UInt8>) {
    if lastLine.count > 0 { parser.consume(lastLine) }
    parser.endStanza()
    packages = parser.packages
    malformed = parser.malformed
  }
}

extension StanzaParser {
  /// Reads all lines that end within `bytes`, and returns how many bytes they take.
  fileprivate mutating func consumeLines(of bytes: Span<UInt8>) -> Int {
    var start = 0
    while let end = bytes.firstLineFeed(from: start) {
      consume(bytes.extracting(start..<end))
      start = end + 1
    }
    return start
  }
}
