/// What the command line says.
struct Options {
  private(set) var isPlain = false
  let changes: Int
  let seed: UInt64

  /// Nil if it can't be understood.
  init?(_ arguments: [String]) {
    let words = arguments.filter { $0 != "--plain" }
    isPlain = arguments.contains("--plain")
    let numbers = words.compactMap { Int($0) }
    guard words.count < 3, numbers.count == words.count, numbers.first ?? 0 >= 0 else { return nil }
    changes = numbers.first ?? 1000
    seed = UInt64(bitPattern: Int64(numbers.dropFirst().first ?? 1))
  }
}
