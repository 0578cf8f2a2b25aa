import ControlFile
import Testing

@Suite struct `Stanzas` {
  @Test func `every stanza with a Package field is a package`() {
    let file = parse("Package: a\n\nSource: s\nVersion: 1\n\nVersion: 2\nPackage: b\n")
    #expect(names(file) == ["a", "b"])
    #expect(file.malformed.isEmpty)
  }

  @Test func `the last of several stanzas with one name wins, in the place of the first`() {
    let file = parse("Package: a\nVersion: 1\n\nPackage: b\n\nPackage: a\nVersion: 2\n")
    #expect(names(file) == ["a", "b"])
    #expect(file.packages.map(\.version) == ["2", "-"])
  }

  @Test func `a later stanza replaces an earlier one whole`() {
    let file = parse("Package: a\nVersion: 1\nDepends: b\n\nPackage: a\nSection: s\n")
    #expect(file.packages.map(\.version) == ["-"])
    #expect(file.packages.map(\.dependencies) == [[]])
  }

  @Test func `a malformed stanza does not replace an earlier one`() {
    let file = parse("Package: a\nVersion: 1\n\nPackage: a\nVersion: 2\nnonsense\n")
    #expect(file.packages.map(\.version) == ["1"])
    #expect(lines(file) == [4])
  }

  @Test(arguments: ["", " ", "\t", " \t ", "\r", "\u{B}", "\u{C}"])
  func `lines of white space alone separate stanzas`(separator: String) {
    #expect(names(parse("Package: a\n\(separator)\nPackage: b")) == ["a", "b"])
  }

  @Test func `any number of separators makes no stanza`() {
    #expect(names(parse("\n \n\t\n\nPackage: a\n\n\n \n")) == ["a"])
    #expect(parse("").packages.isEmpty)
    #expect(parse("\n").malformed.isEmpty)
  }

  @Test func `lines may end in CRLF, and the last in nothing`() throws {
    let file = parse("Package: a\r\nSection: s\r\n\r\nPackage: b\r\nDepends: a,\r\n c")
    #expect(names(file) == ["a", "b"])
    #expect(file.packages.map(\.section) == ["s", "-"])
    #expect(try groups(#require(file.packages.last)) == [["a"], ["c"]])
  }

  @Test func `a comment line is skipped wherever it stands`() throws {
    let file = parse(
      """
      # before
      Package: a
      # in a stanza
      Maintainer: A
      # between a field and its continuation
       B
      # alone

      # alone again

      Package: b
      """)
    #expect(names(file) == ["a", "b"])
    #expect(file.packages.map(\.maintainer) == ["A B", "-"])
    #expect(file.malformed.isEmpty)
  }

  @Test func `a comment does not separate stanzas`() {
    #expect(lines(parse("Package: a\n#\nPackage: b\n")) == [1])
  }

  @Test func `a number sign behind a blank is a continuation, not a comment`() throws {
    #expect(try package("Maintainer: A", " # B").maintainer == "A # B")
  }
}
