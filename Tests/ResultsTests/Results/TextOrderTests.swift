import Foundation
import SignalsTesting
import TestSupport
import Testing

@testable import Signals

/// The order of texts, which is that of the scalars of their composed forms.
@Suite struct `Texts in order` {
  final class Note: Object {
    @Field var text = ""
  }

  static let pieces = [
    "a", "e", "o", "t", "z", "K", "\u{212A}", "\u{37E}", "é", "\u{301}", "\u{302}", "\u{323}",
    "\u{327}", "\u{328}", "\u{1ED9}", "ß", "\u{0}", "\u{1}", "가", "각", "\u{1100}", "\u{1161}",
    "\u{11A8}", "日", "क", "\u{93C}", "\u{958}", "\u{B47}", "\u{B3E}", "я", "и", "\u{306}", "α",
    "\u{1F71}", "👍", "\u{1F3FD}", "\u{200D}", "\u{1D15E}", "\u{FB1D}", "\u{E000}", "\u{FFFF}",
    "\u{10FFFF}", "\u{20000}",
  ]

  private func text(upTo count: Int, _ random: inout SeededRandom) -> String {
    (0..<Int.random(in: 0...count, using: &random))
      .map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined()
  }

  /// Two texts of which one often begins with the other, in another form.
  private func pair(_ random: inout SeededRandom) -> (String, String) {
    let base = text(upTo: 4, &random)
    let other =
      switch Int.random(in: 0..<4, using: &random) {
      case 0: base.precomposedStringWithCanonicalMapping
      case 1: base.decomposedStringWithCanonicalMapping
      case 2: base
      default: ""
      }
    let pair = (base + text(upTo: 1, &random), other + text(upTo: 3, &random))
    return Bool.random(using: &random) ? pair : (pair.1, pair.0)
  }

  /// Foundation doesn't compose a Hangul syllable and a final consonant, so it takes them apart first.
  private func composed(_ text: String) -> [Unicode.Scalar] {
    let apart = text.decomposedStringWithCanonicalMapping
    return Array(apart.precomposedStringWithCanonicalMapping.unicodeScalars)
  }

  @Test func `one of two texts is less where the operators of strings say neither`() {
    let (short, long) = ("e\u{301}", "\u{E9}t")
    #expect(TextOrder.compare(short, to: long) < 0)
    #expect(TextOrder.compare(long, to: short) > 0)
    #expect(TextOrder.compare("\u{AC01}", to: "\u{AC00}\u{11A8}") == 0)
    #expect(TextOrder.compare("\u{1100}\u{1161}", to: "가a") < 0)
  }

  @Test func `a zero scalar is less than every other, and more than the end`() {
    #expect(TextOrder.compare("e\u{301}", to: "\u{E9}\0") < 0)
    #expect(TextOrder.compare("e\u{301}\0", to: "\u{E9}\u{1}") < 0)
    #expect(TextOrder.compare("e\u{301}\0a", to: "\u{E9}\0\0") > 0)
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `is that of composed scalars`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<runLength(usually: 4000) {
      let (left, right) = pair(&random)
      let scalars = (composed(left), composed(right))
      let expected =
        scalars.0 == scalars.1 ? 0 : scalars.0.lexicographicallyPrecedes(scalars.1) ? -1 : 1
      let isRight = TextOrder.compare(left, to: right).signum() == expected
      #expect(isRight, "seed \(seed): \(left.debugDescription), \(right.debugDescription)")
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `finds each row again, whatever its text was`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let store = Store()
    let notes = (0..<40).map { _ in Note() }
    try store.write { try store.add(notes) }
    let sorted = store.results(Note.self).sorted(by: \.text)
    var rows = Array(sorted)
    let token = sorted.observe { $0.apply(to: &rows) }
    for step in 0..<runLength(usually: 150) {
      try store.write {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          let (one, other) = pair(&random)
          notes.randomElement(using: &random)?.text = one
          notes.randomElement(using: &random)?.text = other
        }
      }
      let expected = notes.enumerated().sorted { one, other in
        let texts = (composed(one.element.text), composed(other.element.text))
        return texts.0 == texts.1
          ? one.offset < other.offset : texts.0.lexicographicallyPrecedes(texts.1)
      }
      #expect(Array(sorted) == expected.map(\.element), "seed \(seed), step \(step)")
      #expect(rows == Array(sorted), "seed \(seed), step \(step)")
    }
    token.cancel()
    #expect(store.brokenInvariants() == [])
  }
}
