import SignalsTerminal
import SignalsTesting
import Testing

@Suite struct `Text, a line that is edited` {
  @Test func `typing goes to the cursor, and deleting takes whole characters`() {
    var buffer = TextBuffer("cafe\u{301} 👨‍👩‍👧")
    buffer.delete(.left)
    #expect(buffer.text == "cafe\u{301} ")
    buffer.delete(.left)
    buffer.delete(.left)
    #expect(buffer.text == "caf")
    buffer.move(.start)
    buffer.insert("de")
    #expect((buffer.text, buffer.cursor) == ("decaf", 2))
  }

  @Test func `an accent that is typed joins the letter before it`() {
    var buffer = TextBuffer("e")
    buffer.insert("\u{301}")
    #expect((buffer.characters.count, buffer.cursor) == (1, 1))
    buffer.insert("x")
    #expect(buffer.text == "e\u{301}x")
  }

  @Test func `a selection is replaced, deleted, or left at its ends`() {
    var buffer = TextBuffer("one two three")
    buffer.move(.wordLeft, selects: true)
    #expect(buffer.selectedText == "three")
    buffer.insert("3")
    #expect((buffer.text, buffer.selection) == ("one two 3", nil))
    buffer.selectAll()
    buffer.move(.left)
    #expect((buffer.cursor, buffer.selection) == (0, nil))
    buffer.move(.wordRight, selects: true)
    buffer.delete(.left)
    #expect(buffer.text == " two 3")
  }

  @Test func `words are letters and digits`() {
    var buffer = TextBuffer("let x_1 = foo(bar)")
    buffer.delete(.wordLeft)
    #expect(buffer.text == "let x_1 = foo(")
    buffer.delete(.wordLeft)
    #expect(buffer.text == "let x_1 = ")
    buffer.move(.wordLeft)
    #expect(buffer.cursor == 4)
    buffer.selectWord(at: 5)
    #expect(buffer.selectedText == "x_1")
  }

  @Test func `columns and places know wide characters`() {
    let buffer = TextBuffer("a日本b")
    #expect(buffer.column(of: 3) == 5)
    #expect((0...7).map { buffer.place(atColumn: $0) } == [0, 1, 2, 2, 3, 3, 4, 4])
  }

  @Test func `a text set by others keeps the cursor where that goes`() {
    var buffer = TextBuffer("hello")
    buffer.move(.place(2))
    buffer.replaceText("HELLO")
    #expect(buffer.cursor == 2)
    buffer.replaceText("H")
    #expect(buffer.cursor == 1)
    buffer.replaceText("Hi")
    #expect(buffer.cursor == 2, "what stood at the end stays there")
  }

  @Test(arguments: [
    ("he|world", "NEW heworld", "NEW he|world"), ("he|world", "heworld!", "he|world!"),
    ("he|world", "world", "|world"), ("he|world", "he", "he|"), ("he|world", "HEworld", "HE|world"),
    ("he|world", "heWORLD", "he|WORLD"), ("he|", "he world", "he| world"),
    ("|", "text", "text|"), ("he|", "", "|"), ("he|", "x he", "x he|"),
    ("👨‍👩‍👧|b", "a👨‍👩‍👧b", "a👨‍👩‍👧|b"), ("|world", "NEW world", "|NEW world"),
    ("abc|", "z abc!", "z abc|!"), ("a|", "zz a!!", "zz a|!!"),
    ("one two |three four", "oone twoo three foour", "oone twoo |three foour"),
    ("ab cd| ef", "ab! cd! ef!", "ab! cd|! ef!"), ("one two| three", "1 two 3", "1 two| 3"),
    ("please do| remember", "kindly do recall", "kindly do| recall"),
    ("a bc| d", "bc", "bc|"), ("ab|", "zab b", "zab| b"), ("😀 é|", "a😀 é b", "a😀 é| b"),
  ]) func `the cursor moves with the text around it, whatever others do to that`(
    _ old: String, _ text: String, _ new: String
  ) throws {
    let place = try #require(Array(old).firstIndex(of: "|"))
    var buffer = TextBuffer(old.filter { $0 != "|" })
    buffer.move(.place(place))
    buffer.replaceText(text, isAnswer: false)
    var shown = buffer.characters
    shown.insert("|", at: buffer.cursor)
    #expect((buffer.text, String(shown)) == (text, new))
  }

  @Test func `a selection moves with its text, and goes if an end of it does`() {
    var buffer = TextBuffer("one two three")
    buffer.selectWord(at: 5)
    buffer.replaceText("and one two three", isAnswer: false)
    #expect(buffer.selectedText == "two")
    buffer.replaceText("and one, three", isAnswer: false)
    #expect(buffer.selectedText == "" && buffer.cursor <= buffer.characters.count)
    buffer.selectAll()
    buffer.replaceText("", isAnswer: false)
    #expect((buffer.selection, buffer.cursor) == (nil, 0))
  }

  @Test func `a selection keeps its characters when others edit on both sides of it`() {
    var buffer = TextBuffer("one two three")
    buffer.selectWord(at: 5)
    buffer.replaceText("oone twoo threee", isAnswer: false)
    #expect(buffer.selectedText == "two")
    buffer.replaceText("a different sentence", isAnswer: false)
    #expect(buffer.selectedText == "", "letters that are in both by chance are no selection")
  }

  @Test(arguments: 0..<50) func `edits on both sides of a word leave the cursor in it`(
    _ seed: UInt64
  ) {
    var random = SeededRandom(seed: seed)
    let letters = Array("abcdefghijklmnopqrstuvwxyz é日👨‍👩‍👧\n")
    func text(_ count: ClosedRange<Int>) -> [Character] {
      (0..<Int.random(in: count, using: &random)).map { _ in
        letters.randomElement(using: &random) ?? "a"
      }
    }
    func edited(_ text: [Character], _ new: [Character]) -> [Character] {
      let start = Int.random(in: 0...text.count, using: &random)
      let end = min(text.count, start + Int.random(in: 0...4, using: &random))
      return Array(text[..<start]) + new + Array(text[end...])
    }
    var (before, after) = (text(0...40), text(0...40))
    var buffer = TextBuffer(String(before + Array("«12»") + after))
    buffer.move(.place(before.count + 2))
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      before = edited(before, text(0...4))
      after = edited(after, text(0...4))
    }
    buffer.replaceText(String(before + Array("«12»") + after), isAnswer: false)
    #expect(buffer.cursor == before.count + 2)
  }

  @Test func `a long text is compared without a cost that grows with its square`() {
    let line = String(repeating: "abcdefghij", count: 20_000)
    var buffer = TextBuffer(line)
    buffer.replaceText(String(line.reversed()), isAnswer: false)
    #expect(buffer.cursor == 200_000)
    buffer.replaceText("x\(buffer.text)y", isAnswer: false)
    #expect(buffer.characters.count == 200_002)
  }

  @Test func `a line end becomes a blank`() {
    var buffer = TextBuffer("")
    buffer.insert("a\r\nb\nc")
    #expect(buffer.text == "a b c")
  }

  @Test(arguments: 0..<20) func `the cursor and the selection stay within the text`(_ seed: UInt64)
  {
    var random = SeededRandom(seed: seed)
    var buffer = TextBuffer("")
    let texts = ["a", " ", "\u{301}", "🇫", "🇷", "👨", "\u{200D}", "日", "word"]
    let targets: [TextBuffer.Target] = [
      .left, .right, .wordLeft, .wordRight, .start, .end, .place(3),
    ]
    for _ in 0..<200 {
      let target = targets.randomElement(using: &random) ?? .left
      switch Int.random(in: 0..<4, using: &random) {
      case 0: buffer.move(target, selects: Bool.random(using: &random))
      case 1: buffer.delete(target)
      default: buffer.insert(texts.randomElement(using: &random) ?? "")
      }
      #expect((0...buffer.characters.count).contains(buffer.cursor))
      #expect(buffer.characters == Array(buffer.text), "characters stand as a reader sees them")
      if let selection = buffer.selection {
        #expect(selection.upperBound <= buffer.characters.count)
      }
    }
  }
}
