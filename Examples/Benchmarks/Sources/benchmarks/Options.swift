/// What is wrong with the command line.
struct UsageError: Error {
  let message: String
}

/// What the command line says.
struct Options {
  private(set) var isJSON = false
  private(set) var isQuick = false
  private(set) var wantsHelp = false
  /// The file for the picture of the suite `sizes`.
  private(set) var plot: String?
  private var suites: Set<String> = []

  init(_ arguments: some Sequence<String>, suites known: [String]) throws(UsageError) {
    var arguments = arguments.makeIterator()
    while let argument = arguments.next() {
      switch argument {
      case "--plot":
        guard let path = arguments.next() else { throw UsageError(message: "--plot needs a file") }
        plot = path
      case "--json": isJSON = true
      case "--quick": isQuick = true
      case "--help", "-h": wantsHelp = true
      case _ where argument.utf8.first == UInt8(ascii: "-"):
        throw UsageError(message: "unknown option \(argument)")
      case _ where known.contains(argument): suites.insert(argument)
      default: throw UsageError(message: "unknown suite \(argument)")
      }
    }
  }

  /// Whether a suite is to run: those named, or else all.
  func includes(_ suite: String) -> Bool { suites.isEmpty || suites.contains(suite) }

  static func usage(suites: [String]) -> String {
    """
    usage: benchmarks [SUITE...] [--json] [--quick] [--plot FILE]

    Runs the suites named, or all: \(suites.joined(separator: ", ")).
      --json   prints one JSON object a line instead of a table
      --quick  runs each case a few times only: what is computed is checked, the times mean little
      --plot   draws the suite sizes, as an SVG file
    """
  }
}
