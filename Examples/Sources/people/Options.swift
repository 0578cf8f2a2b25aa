import Shell

/// What the command line says.
struct Options {
  private(set) var isPlain = false
  let changes: Int
  let seed: UInt64

  static let usage = "[--plain] [CHANGES [SEED]]"

  init(_ arguments: [String]) throws {
    let words = arguments.filter { $0 != "--plain" }
    isPlain = arguments.contains("--plain")
    let numbers = try words.map { word in
      guard let number = Int(word) else { throw UsageError("\"\(word)\" is no number") }
      return number
    }
    guard numbers.count < 3 else { throw UsageError("more than two numbers") }
    guard numbers.first ?? 0 >= 0 else { throw UsageError("less than no changes") }
    changes = numbers.first ?? 1000
    seed = UInt64(bitPattern: Int64(numbers.dropFirst().first ?? 1))
  }
}
