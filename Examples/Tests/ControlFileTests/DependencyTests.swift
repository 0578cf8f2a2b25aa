import ControlFile
import Testing

@Suite struct `Dependencies` {
  @Test func `commas separate groups and bars alternatives, in their order`() throws {
    #expect(try groups(package("Depends: b, a | c|d ,e")) == [["b"], ["a", "c", "d"], ["e"]])
  }

  @Test(arguments: [
    "a (>= 1)", "a(>= 1)", "a (= 2:1.0~rc1-1)", "a:any", "a:amd64 (>> 1)", "a [linux-any]",
    "a (>= 1) [!i386] <!nocheck>", "a<!nocheck>", "a\t(>= 1)", "\ta\r",
  ])
  func `versions, architectures and profiles are dropped`(text: String) throws {
    #expect(try groups(package("Depends: \(text)")) == [["a"]])
  }

  @Test func `the groups of Pre-Depends come before those of Depends`() throws {
    #expect(try groups(package("Depends: a, b", "Pre-Depends: c")) == [["c"], ["a"], ["b"]])
  }

  @Test func `a folded field is one list`() throws {
    #expect(
      try groups(package("Depends:", " a (>=", " 1),", "\tb |", " c")) == [["a"], ["b", "c"]])
  }

  @Test(arguments: ["", ",", " , | ,, ", "(>= 1)", ":any"])
  func `empty alternatives and groups are dropped`(text: String) throws {
    #expect(try groups(package("Depends: \(text)")) == [])
    #expect(try groups(package("Depends: a, \(text), | b |")) == [["a"], ["b"]])
  }

  @Test func `other relations are no dependencies`() throws {
    let package = try package("Recommends: a", "Suggests: b", "Provides: c", "Breaks: d")
    #expect(package.dependencies.isEmpty)
  }
}

@Suite struct `Resolved dependencies` {
  private func resolved(_ fields: String, among names: String...) throws -> ResolvedDependencies {
    let others = names.map { "Package: \($0)\n\n" }.joined()
    let file = parse(others + "Package: p\n" + fields)
    return try #require(file.resolvedDependencies().last)
  }

  @Test func `all alternatives present become links`() throws {
    let result = try resolved("Depends: x | b | a", among: "a", "b")
    #expect(result == ResolvedDependencies(links: [1, 0], unresolved: []))
  }

  @Test func `of a group with none present the first name is unresolved`() throws {
    let result = try resolved("Depends: y | x, a", among: "a")
    #expect(result == ResolvedDependencies(links: [0], unresolved: ["y"]))
  }

  @Test func `each name is there once, whatever the groups and fields`() throws {
    let result = try resolved(
      "Pre-Depends: a (>= 1), z\nDepends: a (<< 2), b | a, z, y | z", among: "a", "b")
    #expect(result == ResolvedDependencies(links: [0, 1], unresolved: ["y", "z"]))
  }

  @Test func `a package may depend on itself and on what comes later`() {
    let file = parse("Package: a\nDepends: a, b\n\nPackage: b\n")
    #expect(file.resolvedDependencies().map(\.links) == [[0, 1], []])
  }

  @Test func `the package of a malformed stanza or a provided name is not present`() {
    let file = parse("Package: a\nDepends: b, c\n\nPackage: b\nbad\n\nPackage: d\nProvides: c\n")
    #expect(file.resolvedDependencies().map(\.unresolved) == [["b", "c"], []])
  }

  @Test func `unresolved names are in the order of scalars`() throws {
    let result = try resolved("Depends: \u{1D4B3}, b, B, \u{FF5E}, a10, a9")
    #expect(result.unresolved == ["B", "a10", "a9", "b", "\u{FF5E}", "\u{1D4B3}"])
  }
}
