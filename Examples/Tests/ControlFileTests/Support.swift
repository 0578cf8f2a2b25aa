import ControlFile
import Glibc

/// Parses a text.
func parse(_ text: String) -> ControlFile {
  ControlFile(parsing: Array(text.utf8).span)
}

/// Parses one stanza, made of `lines` behind a `Package` field.
func package(_ lines: String...) throws -> ControlPackage {
  let file = parse((["Package: p"] + lines).joined(separator: "\n"))
  return try onlyElement(file.packages)
}

/// The names of all packages, in the order of the file.
func names(_ file: ControlFile) -> [String] {
  file.packages.map(\.name.string)
}

/// The lines of all reports, in the order of the file.
func lines(_ file: ControlFile) -> [Int] {
  file.malformed.map(\.line)
}

/// The dependencies as plain strings.
func groups(_ package: ControlPackage) -> [[String]] {
  package.dependencies.map { $0.map(\.string) }
}

struct NotOneElement: Error {}

func onlyElement<Element>(_ elements: [Element]) throws -> Element {
  guard elements.count == 1, let element = elements.first else { throw NotOneElement() }
  return element
}

/// A file in the temporary directory, removed when the value dies.
struct TemporaryFile: ~Copyable {
  let path: String

  init(_ bytes: [UInt8]) throws {
    var template = Array("/tmp/control-file-XXXXXX".utf8CString)
    let descriptor = unsafe mkstemp(&template)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes[written...].withUnsafeBytes {
        unsafe write(descriptor, $0.baseAddress, $0.count)
      }
      guard count > 0 else { throw NotOneElement() }
      written += count
    }
    close(descriptor)
  }

  deinit {
    _ = unsafe unlink(path)
  }
}
