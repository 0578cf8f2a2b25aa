import ControlFile
import SignalsTesting
import Testing

/// A reading of the format by lines and dictionaries, as short as it can be written.
private struct NaiveFile {
  var order: [[UInt8]] = []
  var packages: [[UInt8]: [String: String]] = [:]
  var malformed: [Int] = []

  init(_ text: String) {
    var stanza: [(number: Int, line: String)] = []
    for (index, line) in text.components(at: "\n").enumerated() where !line.hasPrefix("#") {
      if line.isWhite {
        add(stanza)
        stanza = []
      } else {
        stanza.append((index + 1, line))
      }
    }
    add(stanza)
  }

  private mutating func add(_ stanza: [(number: Int, line: String)]) {
    guard let first = stanza.first else { return }
    var fields: [String: String] = [:]
    var last = ""
    for (_, line) in stanza {
      if line.hasPrefix(" ") || line.hasPrefix("\t"), let value = fields[last] {
        fields[last] = (value + " " + line.trimmed).trimmed
      } else if let colon = line.unicodeScalars.firstIndex(of: ":"), colon > line.startIndex,
        !line.hasPrefix(" "), !line.hasPrefix("\t"), fields[line[..<colon].lowercased()] == nil
      {
        last = line[..<colon].lowercased()
        fields[last] = String(line.unicodeScalars[colon...].dropFirst()).trimmed
      } else {
        return malformed.append(first.number)
      }
    }
    guard let name = fields["package"] else { return }
    if name.isEmpty { return malformed.append(first.number) }
    if packages[Array(name.utf8)] == nil { order.append(Array(name.utf8)) }
    packages[Array(name.utf8)] = fields
  }

  func dependencies(of name: [UInt8]) -> [[String]] {
    ["pre-depends", "depends"].flatMap { field in
      (packages[name]?[field] ?? "").components(at: ",").map { group in
        group.components(at: "|").compactMap { alternative -> String? in
          let name = alternative.trimmed.unicodeScalars.prefix {
            !" \t(:[<".unicodeScalars.contains($0)
          }
          return name.isEmpty ? nil : String(name)
        }
      }.filter { !$0.isEmpty }
    }
  }
}

extension String {
  /// The parts between separators, cut at scalars: CR and LF are one character.
  fileprivate func components(at separator: Unicode.Scalar) -> [String] {
    unicodeScalars.split(separator: separator, omittingEmptySubsequences: false).map { String($0) }
  }

  fileprivate var trimmed: String {
    let white = " \t\r".unicodeScalars
    let tail = unicodeScalars.drop { white.contains($0) }
    return String(String.UnicodeScalarView(tail.reversed().drop { white.contains($0) }.reversed()))
  }

  fileprivate var isWhite: Bool { trimmed.isEmpty }
}

@Suite struct `Differential` {
  private static let pieces = [
    "Package: a", "Package: b", "package: c", "Package:", "PACKAGE: \u{E9}", "Package: e\u{301}",
    "Version: 1", "version:2 ", "Section: s", "Section: ", "Maintainer: M  m", "Maintainer:",
    "Installed-Size: 12", "Status: hold ok", "Depends: a, b | c (>= 1)", "Depends:",
    "Pre-Depends: x:any | a,, y", "Other: z", " continued", "\t, d | e ", " .", "", "", "", " ",
    "\t", "\r", "# comment", "#", "nonsense", ":", "X: \r",
  ]

  @Test(arguments: 0..<20)
  func `agrees with a naive reading of seeded random files`(seed: UInt64) {
    var generator = SeededRandom(seed: seed)
    for _ in 0..<100 {
      var text = ""
      for _ in 0..<Int.random(in: 0...40, using: &generator) {
        text += Self.pieces.randomElement(using: &generator) ?? ""
        text += Int.random(in: 0..<8, using: &generator) == 0 ? "\r\n" : "\n"
      }
      if Bool.random(using: &generator), !text.isEmpty { text.unicodeScalars.removeLast() }
      let (file, naive) = (parse(text), NaiveFile(text))
      #expect(lines(file) == naive.malformed, "\(text.debugDescription)")
      #expect(file.packages.map { Array($0.name.string.utf8) } == naive.order)
      for package in file.packages {
        let name = Array(package.name.string.utf8)
        let fields = naive.packages[name] ?? [:]
        func value(_ field: String) -> String {
          fields[field].flatMap { $0.isEmpty ? nil : $0 } ?? "-"
        }
        #expect(package.version.string == value("version"))
        #expect(package.section.string == value("section"))
        #expect(package.maintainer.string == value("maintainer"))
        #expect(package.installedSize == Int(value("installed-size")) ?? 0)
        #expect(package.isHeld == value("status").hasPrefix("hold "))
        #expect(groups(package) == naive.dependencies(of: name), "\(text.debugDescription)")
      }
    }
  }
}
