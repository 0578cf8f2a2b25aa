// benchmarks: the usual measures of reactive libraries, on this one and on its peers in Swift.
//
// What the graphs compute is checked; times are not, since they depend on the machine. Ratios within
// one run do so less.

import Signals

@main
struct Benchmarks {
  /// In the order in which they run.
  static let suites:
    [(name: String, peers: [Peer], run: @MainActor (Report) async throws -> Void)] = [
      ("micro", [.opencombine, .observation], MicroSuite.run),
      ("propagate", [.opencombine], PropagateSuite.run),
      ("kairo", [.opencombine], KairoSuite.run),
      ("cellx", [], CellxSuite.run),
      ("sbench", [.opencombine, .observation], SBenchSuite.run),
      ("dynamic", [], DynamicSuite.run),
      ("publishers", [.opencombine], PublishersSuite.run),
      ("memory", [.opencombine, .observation], MemorySuite.run),
      ("fields", [.plain], FieldsSuite.run),
      ("results", [.plain], ResultsSuite.run),
      ("finding", [.plain], FindingSuite.run),
      ("sizes", [], SizesSuite.run),
      ("graph", [.plain, .observation], GraphSuite.run),
      ("views", [.plain], ViewsSuite.run),
      ("terminal", [], TerminalSuite.run),
      ("pages", [], PagesSuite.run),
      ("sync", [], SyncSuite.run),
    ]

  static func main() async {
    let options: Options
    do throws(UsageError) {
      options = try Options(CommandLine.arguments.dropFirst(), suites: suites.map(\.name))
    } catch {
      stop(64, "benchmarks: \(error.message)\n\n\(Options.usage(suites: suites.map(\.name)))")
    }
    if options.wantsHelp {
      print(Options.usage(suites: suites.map(\.name)))
      return
    }
    let report = Report(isQuick: options.isQuick, isJSON: options.isJSON, plot: options.plot)
    for suite in suites where options.includes(suite.name) {
      report.begin(suite.name, peers: suite.peers)
      do {
        try await suite.run(report)
      } catch {
        report.fail("stopped with \(error)")
      }
    }
    if report.failures > 0 { stop(1, "benchmarks: \(report.failures) checks failed") }
  }
}
