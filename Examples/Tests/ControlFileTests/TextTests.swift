import ControlFile
import SignalsTesting
import Testing

@Suite struct `Scalar texts` {
  @Test func `are equal where their scalars are, unlike strings`() {
    let (precomposed, combined) = ("\u{E9}", "e\u{301}")
    #expect(precomposed == combined)
    #expect(ScalarText(precomposed) != ScalarText(combined))
    #expect(Set([ScalarText(precomposed), ScalarText(combined)]).count == 2)
    #expect(ScalarText("a") == "a")
  }

  @Test func `come in the order of scalars, not of UTF-16`() {
    let sorted: [ScalarText] = [
      "", "-", "A", "B", "a", "a-b", "a.b", "a0", "ab", "e\u{301}", "\u{E9}", "\u{FF5E}",
      "\u{1D4B3}",
    ]
    #expect(sorted.shuffled().sorted() == sorted)
    for (lower, upper) in zip(sorted, sorted.dropFirst()) {
      #expect(lower < upper)
      #expect(!(upper < lower))
    }
  }

  @Test func `are equal or ordered, never both, in every length`() {
    let text = String(repeating: "ab", count: 20)
    for length in 0...40 {
      let prefix = ScalarText(String(text.prefix(length)))
      #expect((prefix < ScalarText(text)) == (length < 40))
      #expect((prefix == ScalarText(text)) == (length == 40))
    }
  }
}

@Suite struct `Folding search` {
  private func found(_ needle: String, in text: String) -> Bool {
    text.containsFoldingASCII(FoldedNeedle(needle))
  }

  @Test func `ignores the case of ASCII letters on both sides`() {
    #expect(found("LIBc", in: "xlibC6"))
    #expect(found("z", in: "Z"))
    #expect(!found("libd", in: "libc"))
  }

  @Test func `folds nothing but ASCII letters`() {
    #expect(!found("\u{C9}", in: "\u{E9}"))
    #expect(!found("k", in: "\u{212A}"))
    #expect(!found("[", in: "{"))
    #expect(!found("@", in: "`"))
  }

  @Test func `finds scalars, not characters`() {
    #expect(found("e", in: "e\u{301}"))
    #expect(found("\u{301}", in: "e\u{301}"))
    #expect(!found("\u{E9}", in: "e\u{301}"))
  }

  @Test func `the empty needle is in every text`() {
    #expect(found("", in: ""))
    #expect(found("", in: "a"))
    #expect(!found("a", in: ""))
    #expect(FoldedNeedle("").isEmpty)
  }

  @Test func `finds a needle at both ends, after a false start, and none longer than the text`() {
    #expect(found("aab", in: "aaab"))
    #expect(found("abc", in: "abc"))
    #expect(!found("abcd", in: "abc"))
    #expect(found("-a-name-of-more-than-fifteen-BYTES", in: "x-a-name-of-more-than-fifteen-bytes"))
  }

  @Test func `agrees with a naive search on seeded random texts`() {
    var generator = SeededRandom(seed: 3)
    for _ in 0..<5000 {
      let alphabet: [Character] = ["a", "A", "b", "B", "\u{E9}", "-"]
      func text(_ length: ClosedRange<Int>) -> String {
        String(
          (0..<Int.random(in: length, using: &generator)).map { _ in
            alphabet.randomElement(using: &generator) ?? "a"
          })
      }
      let (needle, text) = (text(0...3), text(0...24))
      // Only ASCII letters of this alphabet have a lower case.
      let naive = needle.isEmpty || text.lowercased().contains(needle.lowercased())
      #expect(found(needle, in: text) == naive, "\(needle) in \(text)")
    }
  }
}
