import ControlFile
import Glibc
import Testing

@Suite struct `Reading a file` {
  @Test func `gives what parsing its bytes gives, wherever a chunk ends`() throws {
    var text = ""
    for number in 0..<6000 {
      text += "Package: p\(number)\nDescription: \(String(repeating: "x", count: number % 211))\n\n"
    }
    // A line longer than any chunk.
    text += "Package: long\nMaintainer: \(String(repeating: "m", count: 1_000_000))"
    let file = try TemporaryFile(Array(text.utf8))
    let read = try ControlFile(contentsOf: file.path)
    #expect(read.packages.count == 6001)
    #expect(read.packages == parse(text).packages)
    #expect(read.packages.last?.maintainer.string.utf8.count == 1_000_000)
  }

  @Test func `counts lines across chunks`() throws {
    let comments = String(repeating: "# a comment of some length\n", count: 50_000)
    let file = try TemporaryFile(Array("\(comments)nonsense\n".utf8))
    #expect(try ControlFile(contentsOf: file.path).malformed.map(\.line) == [50_001])
  }

  @Test func `an empty file has no package and nothing malformed`() throws {
    let file = try ControlFile(contentsOf: "/dev/null")
    #expect(file.packages.isEmpty)
    #expect(file.malformed.isEmpty)
  }

  @Test(arguments: [("/nowhere/at/all", ENOENT), ("", ENOENT), ("/tmp", EISDIR)])
  func `a missing file and a directory throw an error that names them`(path: String, code: Int32) {
    let error = #expect(throws: ControlFileError.self) { try ControlFile(contentsOf: path) }
    #expect(error?.path == path)
    #expect(error?.code == code)
    #expect(error?.description.hasPrefix("\(path): ") == true)
  }
}
