import BrowserTesting
import Foundation
import Signals
import SignalsHTML
import Site
import Testing

/// The nine operations of js-framework-benchmark on a table, as patches and as plain JavaScript, in the
/// same browser.
///
/// `SIGNALS_ROWS` sets the number of rows, which is 1,000 in the benchmark; of each operation it also
/// prints the time that the script took, with parsing and layout. `SIGNALS_ROUNDS` sets how often.
@Suite(.enabled(if: BrowserDriver.path != nil), .serialized)
struct `Operations on a table` {
  private static func number(_ name: String, usually: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usually
  }

  @Test func `a page has the rows that plain JavaScript makes`() async throws {
    let rows = Self.number("SIGNALS_ROWS", usually: 100)
    let rounds = Self.number("SIGNALS_ROUNDS", usually: 1)
    let board = try await LineBoard()
    let site = await Site([board.app, LineBoard.emptyApp], limits: HTMLLimits(rows: 100_000))
    try await site.inBrowsers(2) { browsers, address in
      let (live, plain) = (browsers[0], browsers[1])
      try await live.run(inEachPage: PlainTable.clock)
      try await live.open("\(address)/lines")
      try await plain.open("\(address)/plain")
      try await live.expect("document.documentElement.className", "live")
      // The same elements, which a script of its own has in the other browser.
      try await board.perform(.create, 1)
      try await live.expect("document.querySelectorAll('tbody tr').length", "1")
      let row = try await live.value(
        of: "document.querySelector('tbody tr').outerHTML", as: String.self)
      try await board.perform(.clear, 0)
      try await plain.run(PlainTable.script)
      try await plain.run("start(`\(row)`)")

      var times: [LineBoard.Operation: [(live: Double, plain: Double)]] = [:]
      for round in 0..<rounds {
        for step in LineBoard.steps(rows) {
          for browser in browsers { try await browser.run("window.times = []") }
          try await board.perform(step.operation, step.rows)
          // One after the other, so that neither slows the other one down.
          try await live.expect("times.length > 0", "true")
          try await plain.run("perform('\(step.operation)', \(step.rows))")
          let expected = try await plain.value(of: PlainTable.content, as: String.self)
          try await live.expect(PlainTable.content, expected)
          guard step.isMeasured else { continue }
          let sum = "times.reduce((a, b) => a + b, 0)"
          let time = try await (
            live: live.value(of: sum, as: Double.self), plain: plain.value(of: sum, as: Double.self)
          )
          // The first round warms up.
          if round > 0 || rounds == 1 { times[step.name, default: []].append(time) }
        }
      }
      if rounds > 1 { Self.report(times, rows) }
    }
  }

  private static func report(
    _ times: [LineBoard.Operation: [(live: Double, plain: Double)]], _ rows: Int
  ) {
    func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
    func text(_ value: Double) -> String { value.formatted(.number.precision(.fractionLength(2))) }
    print("operations, \(rows) rows, ms: patches, plain JavaScript, ratio")
    for operation in LineBoard.Operation.allCases {
      guard let found = times[operation] else { continue }
      let (live, plain) = (median(found.map(\.live)), median(found.map(\.plain)))
      print("  \(operation): \(text(live)) \(text(plain)) \(text(live / plain))")
    }
  }
}
