// What the suites hand their figures and their checks to.
//
// Mutable state: the suite under way and its columns, set by `begin`; and the checks that failed, of
// which each message is printed once.

/// What the same work is measured on besides the library.
enum Peer: String {
  case opencombine, observation
  /// Plain Swift without any library.
  case plain
}

/// One line of a table.
struct Row {
  enum Unit: String {
    case nanoseconds = "ns/op"
    case milliseconds = "ms"
    case bytes = "bytes"
  }

  let name: String
  let unit: Unit
  /// Nanoseconds, or bytes.
  let signals: Double
  /// How many operations the time is for.
  var operations = 1
  /// A peer that has no equivalent of the case is missing here.
  var peers: [Peer: Double] = [:]
  var note = ""
}

final class Report {
  /// Whether only a few repetitions are wanted.
  let isQuick: Bool
  /// The file for the picture of the suite `sizes`.
  let plot: String?
  private let isJSON: Bool
  private var suite = ""
  private var columns: [Peer] = []
  private(set) var failures = 0
  private var printed: Set<String> = []

  init(isQuick: Bool, isJSON: Bool, plot: String?) {
    self.isQuick = isQuick
    self.plot = plot
    self.isJSON = isJSON
  }

  /// Starts a suite, and its table.
  func begin(_ suite: String, peers: [Peer]) {
    self.suite = suite
    columns = peers
    if isJSON { return }
    let heads = ["signals", "per op"] + peers.map(\.rawValue)
    print("\n" + padded(suite, 46) + heads.map { aligned($0, 12) + "       " }.joined())
  }

  func add(_ row: Row) {
    if isJSON { print(json(row)) } else { print(text(row)) }
    flush()
  }

  /// Checks what a case computed; a failure is printed, and the program ends with status 1.
  @inline(__always)
  func expect(_ condition: Bool, _ claim: @autoclosure () -> String) {
    if !condition { fail(claim()) }
  }

  @inline(never)
  func fail(_ claim: String) {
    failures += 1
    if printed.count < 20, printed.insert(claim).inserted { complain("FAILED: \(suite): \(claim)") }
  }

  private func json(_ row: Row) -> String {
    let scale = row.unit == .milliseconds ? 1e-6 : 1
    let peers = columns.compactMap { peer in
      row.peers[peer].map { "\"\(peer.rawValue)\":\(decimal($0 * scale))" }
    }
    return "{\"suite\":\"\(suite)\",\"case\":\"\(row.name)\",\"unit\":\"\(row.unit.rawValue)\","
      + "\"signals\":\(decimal(row.signals * scale)),\"peers\":{\(peers.joined(separator: ","))}}"
  }

  private func text(_ row: Row) -> String {
    let isBytes = row.unit == .bytes
    func amount(_ value: Double) -> String {
      aligned(isBytes ? "\(Int(value.rounded())) B" : duration(value), 12)
    }
    var line = padded("  " + row.name, 46) + amount(row.signals) + "       "
    line += isBytes ? aligned("", 12) : amount(row.signals / Double(row.operations))
    line += "       "
    for column in columns {
      if let time = row.peers[column] {
        line += amount(time) + padded(" \(digits(time / row.signals))x", 7)
      } else {
        line += aligned("-", 12) + "       "
      }
    }
    return line + (row.note.isEmpty ? "" : "  \(row.note)")
  }
}

/// A time in the unit that suits it.
func duration(_ nanoseconds: Double) -> String {
  switch nanoseconds {
  case ..<1e3: "\(digits(nanoseconds)) ns"
  case ..<1e6: "\(digits(nanoseconds / 1e3)) us"
  case ..<1e9: "\(digits(nanoseconds / 1e6)) ms"
  default: "\(digits(nanoseconds / 1e9)) s"
  }
}

/// About three digits of a number.
func digits(_ value: Double) -> String {
  switch value {
  case ..<10: "\((value * 100).rounded() / 100)"
  case ..<100: "\((value * 10).rounded() / 10)"
  default: "\(Int(value.rounded()))"
  }
}

private func decimal(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }

private func padded(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(1, width - text.count))
}

private func aligned(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(1, width - text.count)) + text
}
