import ControlFile
import Testing

@Suite struct `Values` {
  @Test func `field names are ASCII case-insensitive`() throws {
    let file = parse("PACKAGE: a\nvErSiOn: 1\ninstalled-SIZE: 2\n")
    #expect(names(file) == ["a"])
    #expect(file.packages.map(\.version) == ["1"])
    #expect(file.packages.map(\.installedSize) == [2])
  }

  @Test func `values are trimmed, and may follow the colon at once`() throws {
    #expect(try package("Version:1").version == "1")
    #expect(try package("Version: \t 1 2 \t\r").version == "1 2")
    #expect(try package("Version:a:b").version == "a:b")
  }

  @Test func `continuation lines are trimmed and joined with one space`() throws {
    #expect(try package("Maintainer: A  ", "  B ", "\t C\r").maintainer == "A B C")
    #expect(try package("Maintainer:", " A", " B").maintainer == "A B")
    #expect(try package("Description: x", " y", "Maintainer: A").maintainer == "A")
  }

  @Test func `a name may be folded too`() {
    #expect(names(parse("Package:\n a")) == ["a"])
    #expect(names(parse("Package: a\n b")) == ["a b"])
  }

  @Test func `a missing or empty version, section or maintainer is a hyphen`() throws {
    let missing = try package()
    let empty = try package("Version:", "Section: ", "Maintainer: \t")
    for package in [missing, empty] {
      #expect(package.version == "-")
      #expect(package.section == "-")
      #expect(package.maintainer == "-")
    }
  }

  @Test(arguments: [
    ("0", 0), ("42", 42), ("007", 7), ("9223372036854775807", .max),
    ("0000000000000000000000000000042", 42), ("9223372036854775808", 0),
    ("99999999999999999999999", 0), ("18446744073709551617", 0), ("", 0), ("-5", 0), ("+5", 0),
    ("1.5", 0), ("1e3", 0), ("0x10", 0), ("12 kB", 0), ("1_000", 0), ("\u{661}", 0), ("/", 0),
    (":", 0),
  ])
  func `a size is ASCII digits fitting an Int, else 0`(text: String, size: Int) throws {
    #expect(try package("Installed-Size: \(text)").installedSize == size)
  }

  @Test func `a size that is missing is 0, and one of two lines is no digits`() throws {
    #expect(try package().installedSize == 0)
    #expect(try package("Installed-Size: 1", " 2").installedSize == 0)
  }

  @Test(arguments: [
    ("hold ok installed", true), ("  hold x", true), ("hold", false), ("hold ", false),
    ("Hold ok installed", false), ("holdx y", false), ("hold\tok", false),
    ("install ok installed", false), ("", false), ("hold\n ok installed", true),
  ])
  func `held is a status that begins with hold and a space`(status: String, held: Bool) throws {
    #expect(try package("Status: \(status)").isHeld == held)
  }

  @Test func `a package without a status is not held`() throws {
    #expect(try !package().isHeld)
  }

  @Test func `invalid UTF-8 becomes U+FFFD`() throws {
    let bytes = Array("Package: a".utf8) + [0xFF] + Array("b\nVersion: ".utf8) + [0xE2, 0x82]
    let package = try onlyElement(ControlFile(parsing: bytes.span).packages)
    #expect(package.name == "a\u{FFFD}b")
    #expect(package.version == "\u{FFFD}")
  }

  @Test func `names are compared after their repair`() throws {
    var bytes = Array("Package: ".utf8) + [0xFF] + Array("\n\nPackage: ".utf8)
    bytes += [0xFE] + Array("\nDepends: ".utf8) + [0xFD]
    let file = ControlFile(parsing: bytes.span)
    #expect(names(file) == ["\u{FFFD}"])
    #expect(file.resolvedDependencies().map(\.links) == [[0]])
  }

  @Test func `names that differ in a scalar are two packages, canonically equivalent or not`() {
    let file = parse("Package: \u{E9}\n\nPackage: e\u{301}\nDepends: \u{E9}\n")
    #expect(file.packages.count == 2)
    #expect(file.resolvedDependencies().map(\.links) == [[], [0]])
  }
}
