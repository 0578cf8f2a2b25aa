import ControlFile
import Testing

@Suite struct `Malformed stanzas` {
  @Test(arguments: ["nonsense", ": no name", "-dash: x", "two words: x", "caf\u{E9}: x", " : x y"])
  func `a line that is neither a field nor a continuation makes its stanza malformed`(line: String)
  {
    let file = parse("\nPackage: a\n\n\(line)\nPackage: b\n\nPackage: c\n")
    #expect(names(file) == ["a", "c"])
    #expect(lines(file) == [4])
  }

  @Test func `a line that begins with other white space than a blank is no continuation`() {
    #expect(lines(parse("Package: a\n\u{C}b\n")) == [1])
  }

  @Test func `blanks before the colon are read over`() throws {
    #expect(try package("Version : 1").version == "1")
  }

  @Test func `a continuation line without a field is malformed`() {
    let file = parse(" a\nPackage: b\n")
    #expect(file.packages.isEmpty)
    #expect(file.malformed.map(\.reason) == [.strayContinuation])
  }

  @Test func `a line of white space ends the field that a continuation would continue`() {
    #expect(lines(parse("Package: a\n \n b\n")) == [3])
  }

  @Test(arguments: ["Version", "VERSION", "X-Other", "x-other", "Package"])
  func `a repeated field makes its stanza malformed, whatever its case`(field: String) {
    let file = parse("Package: a\nVersion: 1\nX-Other: 1\n\(field): 1\n")
    #expect(file.packages.isEmpty)
    #expect(file.malformed.map(\.reason) == [.repeatedField(field)])
  }

  @Test func `a field may be there again in the next stanza`() {
    let file = parse("X: 1\nPackage: a\n\nX: 1\nPackage: b\n\nPackage: b\nX: 1\n")
    #expect(names(file) == ["a", "b"])
    #expect(file.malformed.isEmpty)
  }

  @Test func `a repetition is found among thousands of fields`() {
    let fields = (0..<5000).map { "F\($0): x\n" }.joined()
    #expect(names(parse("Package: a\n\(fields)")) == ["a"])
    #expect(lines(parse("Package: a\n\(fields)f2500: y\n")) == [1])
  }

  @Test(arguments: ["Package:", "Package: \t", "package:\r"])
  func `an empty Package makes its stanza malformed`(line: String) {
    let file = parse("Version: 1\n\(line)\n")
    #expect(file.malformed == [.init(line: 1, reason: .emptyPackage)])
  }

  @Test func `a stanza can be malformed without a Package`() {
    #expect(lines(parse("Version: 1\nVersion: 2\n")) == [1])
  }

  @Test func `the line is the first that is not a comment, counted from 1 over all lines`() {
    let file = parse("# 1\n\n# 3\n# 4\nPackage: a\n# 6\nnonsense\n \r\n#9\n\nPackage:\r\n")
    #expect(lines(file) == [5, 11])
  }

  @Test func `each malformed stanza is reported once, with what was wrong first`() {
    let file = parse("Package: a\nPackage: b\nnonsense\n\nnonsense\nPackage:\n")
    #expect(
      file.malformed == [
        .init(line: 1, reason: .repeatedField("Package")), .init(line: 5, reason: .notAField),
      ])
  }

  @Test func `a report reads as a sentence with its line`() {
    let report = MalformedStanza(line: 12, reason: .repeatedField("Version"))
    #expect("\(report)" == "line 12: stanza skipped: the field Version is repeated")
  }
}
