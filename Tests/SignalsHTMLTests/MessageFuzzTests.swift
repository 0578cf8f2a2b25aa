import Signals
import SignalsTesting
import TestSupport
import Testing

@testable import SignalsHTML

/// Messages, forms and requests of lost pages that were damaged, or made up of parts of others.
///
/// `SIGNALS_STEPS` sets the number of messages.
@Suite struct `Messages, damaged` {
  @Test(arguments: seeds(4))
  func `nothing of a refused message is used, and nothing that a visitor can't press`(
    seed: UInt64
  ) throws {
    try DamagedMessages(seed: seed).run(runLength(usually: 20_000) / 4)
  }
}

/// A visitor's page, and what can't be pressed on it.
private final class DamagedMessages {
  private let seed: UInt64
  private var random: SeededRandom
  /// What has happened, by what the visitor may do, and by what nobody may.
  private let (done, wrong) = (Signal(0), Signal<[String]>([]))
  private let text = Signal("")
  private let entries = Signal(0)
  private let isOpen = Signal(true)
  private let session: HTMLSession
  private let page: ScriptedPage
  /// Parts of messages, of this page and of others.
  private var parts: [[UInt8]] = []

  init(seed: UInt64) throws {
    self.seed = seed
    random = SeededRandom(seed: seed)
    let (done, wrong, text, isOpen, entries) = (done, wrong, text, isOpen, entries)
    let limits = HTMLLimits(messagesPerSecond: 1_000_000_000, burst: 1_000_000)
    func make(_ number: Int) -> HTMLSession {
      // The names on the page are the same for each seed.
      let restored = Store()
      let key = PageKey.of(restored)
      (key.first, key.second) = (Int(truncatingIfNeeded: seed), number)
      let state = restored.snapshot()
      return HTMLSession(Store(), title: "T", live: "/live", limits: limits, state: state) {
        TextField(
          "Text",
          text: Binding {
            text.value
          } set: {
            text.value = $0
            entries.value += 1
          })
        Button("Add") { done.value += 1 }
        Button("Never") { wrong.value.append("disabled") }.disabled(true)
        TextField(
          "Fixed",
          text: Binding {
            ""
          } set: { _ in
            wrong.value.append("fixed")
          }
        )
        .disabled(true)
        if isOpen.value {
          Button("Once") { wrong.value.append("gone") }
          ForEach(0..<200, id: \.self) { Text("row \($0)") }
        }
      }
    }
    session = make(1)
    page = try ScriptedPage(session)
    let other = try ScriptedPage(make(2))
    for page in [page, other] {
      page.form.all.forEach { parts += ($0.attributes.values.sorted().map { Array($0.utf8) }) }
      parts.append(Array(page.page.name.utf8))
      parts += ["tap", "set", "submit", "move", "rows", "key", "enter", ".", "&", "=", "%00", "+"]
        .map { Array($0.utf8) }
    }
    // What was on screen, and isn't any more.
    isOpen.value = false
    try page.update()
  }

  func run(_ steps: Int) throws {
    var used = 0
    for step in 0..<steps {
      let before = (done.value, text.value)
      entries.value = 0
      let body = body()
      let isRefused: Bool
      do {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: try session.submit(body)
        case 1: _ = try session.renew(HTMLRenewal(body))
        default: try page.page.receive(body)
        }
        isRefused = false
        used += 1
      } catch { isRefused = true }
      let message = String(decoding: body, as: UTF8.self)
      if isRefused, (done.value, text.value) != before {
        Issue.record("seed \(seed), step \(step): a refused message was used: \(message)")
      }
      if entries.value > 1 {
        Issue.record("seed \(seed), step \(step): \(entries.value) entries by \(message)")
      }
      if !wrong.value.isEmpty {
        Issue.record("seed \(seed), step \(step): \(wrong.value) was used by \(message)")
        return
      }
      if step % 16 == 0 { try page.update() }
    }
    // Neither all nor nothing was refused.
    #expect(used > steps / 20 && used < steps * 19 / 20, "seed \(seed): \(used) of \(steps)")
    // The session still works. What this page shows isn't what its messages said, so another one is used.
    let last = try ScriptedPage(session)
    last.enter("end", into: try last.control("Text"))
    let before = done.value
    try last.send(last.message(("do", try last.button("Add"))))
    while try last.update() != nil {}
    #expect(last.description == (try last.expected(session)), "seed \(seed)")
    #expect(done.value == before + 1, "seed \(seed)")
    #expect(text.value == "end", "seed \(seed)")
  }

  /// Makes a message, most of the time one that was damaged.
  private func body() -> [UInt8] {
    if Bool.random(using: &random), let control = page.controls.randomElement(using: &random) {
      page.enter(["", "a", "é<&"].randomElement(using: &random)!, into: control)
    }
    let action = page.actions.randomElement(using: &random) ?? "enter"
    var body = Array(page.message(("do", action), ("open", "/"), ("script", "/s.js")).utf8)
    for _ in 0..<Int.random(in: 0..<4, using: &random) { damage(&body) }
    return body
  }

  private func damage(_ body: inout [UInt8]) {
    if body.isEmpty { return body = parts.randomElement(using: &random)! }
    let place = body.indices.randomElement(using: &random)!
    switch Int.random(in: 0..<7, using: &random) {
    case 0: body[place] = UInt8.random(in: 0...255, using: &random)
    case 1: body.removeSubrange(place..<min(place + 3, body.count))
    case 2: body.insert(contentsOf: parts.randomElement(using: &random)!, at: place)
    case 3: body.removeLast(body.count - place)
    case 4: body += body[place...]
    default: exchange(&body)
    }
  }

  /// Puts another value into one of the pairs, or another pair in its place.
  private func exchange(_ body: inout [UInt8]) {
    var pairs = body.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    let place = pairs.indices.randomElement(using: &random)!
    var (key, value) = (pairs[place].prefix { $0 != UInt8(ascii: "=") }, pairs[place][...])
    if Bool.random(using: &random) { key = parts.randomElement(using: &random)![...] + [46] }
    value = parts.randomElement(using: &random)![...]
    if Bool.random(using: &random) {
      let verb = ["tap.", "submit.", "set.", "rows.", "key."].randomElement(using: &random)!
      value = Array(verb.utf8)[...] + value
    }
    pairs[place] = key + [UInt8(ascii: "=")] + value
    body = Array(pairs.joined(separator: [UInt8(ascii: "&")]))
  }
}
