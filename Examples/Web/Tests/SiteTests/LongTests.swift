import BrowserTesting
import Foundation
import MetricsTestKit
import Signals
import Site
import Testing

/// A page that stays open, through many changes.
///
/// `SIGNALS_PATCHES` sets their number.
@Suite(.enabled(if: BrowserDriver.path != nil), .serialized)
struct `A page that stays open` {
  /// Rows that are moved, added and removed, one of which the visitor is in.
  @MainActor
  private final class World {
    let rows = Signal(Array(0..<30))
    let texts = (0..<40).map { Signal("text \($0)") }
    let count = Signal(0)
    private var random = SystemRandomNumberGenerator()

    func change(_ number: Int) {
      batch {
        count.value = number
        texts.randomElement(using: &random)?.value = "text \(number)"
        switch number % 4 {
        case 0: rows.value.shuffle(using: &random)
        case 1: rows.value = Array(rows.value.dropLast(Int.random(in: 0..<10, using: &random)))
        case 2: rows.value = (0..<30).shuffled(using: &random)
        default: rows.value.append(contentsOf: Set(0..<40).subtracting(rows.value).prefix(5))
        }
      }
    }

    /// Shows the same rows as at the beginning.
    func reset() { rows.value = Array(0..<30) }

    var app: SiteApp {
      let (rows, texts, count) = (rows, texts, count)
      return SiteApp("app", title: "App", store: Store()) {
        Text("count \(count.value)")
        ForEach(rows.value, id: \.self) { row in
          if row % 3 == 0 { Button(texts[row].value) {} }
          TextField("row \(row)", text: texts[row].binding)
        }
      }
    }
  }

  @Test func `no node and no listener is left behind by many patches`() async throws {
    let environment = ProcessInfo.processInfo.environment["SIGNALS_PATCHES"]
    let total = environment.flatMap { Int($0) } ?? 1000
    let metrics = TestMetrics()
    let world = await World()
    let site = await Site([world.app], metrics: metrics)
    try await site.inBrowsers { browsers, address in
      let browser = browsers[0]
      try await browser.open("\(address)/app")
      try await browser.expect("document.documentElement.className", "live")
      try await browser.run("window.isSame = true")
      func patches() throws -> Int64 { try metrics.expectCounter("signals_patches").totalValue }
      /// Makes changes, each of which is a patch.
      func change(_ numbers: Range<Int>) async throws {
        for number in numbers {
          let before = (try? patches()) ?? 0
          await world.change(number)
          let start = ContinuousClock.now
          while (try? patches()) ?? 0 == before {
            try #require(.now - start < .seconds(30), "patch \(number) isn't taken")
            try await Task.sleep(for: .microseconds(50))
          }
        }
        try await browser.expect(
          "document.querySelector('p').textContent", "count \(numbers.upperBound - 1)")
      }
      func counted() async throws -> [String: Int] {
        await world.reset()
        try await browser.expect("document.querySelectorAll('li').length", "30")
        try await browser.tools("HeapProfiler.collectGarbage", [:])
        let found = try await browser.tools("Memory.getDOMCounters", [:])
        return try #require(found as? [String: Int])
      }
      // What a page needs once, such as for its first rows.
      try await change(1..<101)
      let before = try await counted()
      try await change(101..<101 + total)
      func left(_ counts: [String: Int], of kind: String) -> Int {
        (counts[kind] ?? 0) - (before[kind] ?? 0)
      }
      // The browser may need several collections to find what isn't used any more.
      var after = try await counted()
      for _ in 0..<20
      where left(after, of: "nodes") >= 100 || left(after, of: "jsEventListeners") > 0 {
        try await Task.sleep(for: .milliseconds(200))
        after = try await counted()
      }
      #expect(left(after, of: "jsEventListeners") <= 0)
      #expect(left(after, of: "documents") <= 0)
      // Texts of fields that were edited may have nodes of their own.
      #expect(left(after, of: "nodes") < 100, "of \(before) and \(after)")
      try await browser.expect("window.isSame", "true")
      #expect(try patches() >= Int64(total))
    }
  }
}
