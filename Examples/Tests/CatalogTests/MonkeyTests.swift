import CatalogApp
import ControlFile
import Foundation
import Signals
import SignalsReplay
import SignalsTesting
import Testing

/// The catalogue with a button for each intent, so that a monkey can do all that a person can.
private struct Desk: View {
  let browser: Browser
  @ObservedResults(Package.self, sortedBy: \.name) var packages

  var body: Element {
    CatalogScreen(browser)
    Divider()
    for line in ["filter", "filter a", "filter 7", "sort size desc", "sort section", "sort name"] {
      button(line)
    }
    for line in ["section all", "section section1", "back", "undo"] { button(line) }
    ForEach(packages) { package in
      for word in ["open", "hold", "unhold", "remove"] { button("\(word) \(package.name)") }
    }
  }

  private func button(_ line: String) -> Button {
    Button(line) { try browser.perform(Intent(parsing: line)) }
  }
}

/// The catalogue under random intents, and under faults.
@Suite(.leavesNothing) struct `A catalogue, whatever is done to it` {
  /// `SIGNALS_STEPS` sets the number of intents: 20,000 in continuous integration.
  private static let steps =
    ProcessInfo.processInfo.environment["SIGNALS_STEPS"].flatMap { Int($0) } ?? 300

  private final class First { var snapshot: Snapshot? }

  private let first = First()

  private func mount() throws -> TestHost {
    let stanzas = (0..<24).map { number in
      """
      Package: package\(number)
      Version: 1.\(number)
      Section: section\(number % 3)
      Installed-Size: \(number * 37 % 11)
      Maintainer: maintainer\(number % 5)
      Depends: package\((number * 7 + 1) % 24), package\((number * 5 + 3) % 24) | missing
      """
    }
    let store = Store(undoLimit: .max)
    try store.load(ControlFile(parsing: Array(stanzas.joined(separator: "\n\n").utf8).span))
    first.snapshot = store.snapshot()
    let browser = Browser(store)
    return try TestHost(store, historyLimit: 1) { Desk(browser: browser) }
  }

  private static var invariants: Monkey.Invariants {
    [
      "the counts are right": { app in
        let lines = catalogue(app)
        guard let head = lines.first?.wholeMatch(of: /(\d+) of (\d+) packages .*/) else {
          return lines.first?.hasPrefix("package") == true
        }
        let (shown, all) = (Int(head.1) ?? -1, Int(head.2) ?? -1)
        return all == app.host.store.results(Package.self).count
          && min(shown, 20) == lines.count - 1
      },
      "no deleted package is on screen": { app in
        let lines = catalogue(app)
        let names = lines.first?.contains(" packages | ") == true ? lines.dropFirst() : lines[..<1]
        return names.allSatisfy { line in
          let name = ScalarText(String(line.prefix { $0 != " " }))
          return app.host.store.object(Package.self, primaryKey: name) != nil
        }
      },
    ]
  }

  private static func catalogue(_ app: TestHost) -> [Substring] {
    Array(app.text.split(separator: "\n").prefix { $0 != "----------" })
  }

  @Test(arguments: [1 as UInt64, 2]) func `a monkey breaks nothing`(_ seed: UInt64) throws {
    let first = first
    try Monkey(seed: seed, allowing: { $0 is IntentError }).run(
      Self.steps / 2, invariants: Self.invariants,
      finally: [
        "undoing everything restores the first snapshot": { app in
          while app.host.store.canUndo { try app.host.store.undo() }
          return app.host.store.snapshot() == first.snapshot
        }
      ]
    ) { try mount() }
  }

  @Test(arguments: ["hold package3", "remove package3", "filter a"])
  func `an intent that fails at any step has done nothing`(_ line: String) throws {
    let plan = FaultPlan(line == "filter a" ? .store : .allOrNothing, invariants: Self.invariants)
    let steps = try plan.run {
      try mount()
    } intent: { app in
      try app.tap(line)
    }
    #expect(steps == ["hold package3": 1, "remove package3": 2, "filter a": 0][line])
  }

  @Test func `an undo that fails at any step can be done again`() throws {
    try FaultPlan(invariants: Self.invariants).run {
      let app = try mount()
      try app.tap("remove package3")
      return app
    } intent: { app in
      do { try app.tap("undo") } catch {
        #expect(app.host.store.canUndo)
        throw error
      }
    }
  }

  @Test func `what was done is done again from its log`() throws {
    let app = try mount()
    app.intentLog = IntentLog(start: app.host.store.snapshot())
    for line in ["hold package3", "remove package4", "sort size desc", "undo", "open package3"] {
      try app.tap(line)
    }
    let log = try #require(app.intentLog)
    let store = Store(try #require(log.start), undoLimit: .max)
    let browser = Browser(store)
    let again = try TestHost(store) { Desk(browser: browser) }
    try again.replay(log)
    #expect(again.text == app.text)
  }
}
