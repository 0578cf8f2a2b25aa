/// A line of text that is edited: with a cursor, a selection, and moves by characters and words.
///
/// A character is what a reader takes for one: a letter with its accents, an emoji of several scalars. The cursor never
/// stands within one.
///
/// State: `characters`, and `text`, the same as one string; `cursor` and `anchor` between them. An edit costs what it
/// inserts, and a copy of the text; a move what it goes over.
package struct TextBuffer: Equatable {
  /// The text, character by character.
  package private(set) var characters: [Character]
  /// The text.
  package private(set) var text: String
  /// Before which character the cursor stands.
  package private(set) var cursor: Int
  /// Where the selection began; nil if nothing is selected.
  package private(set) var anchor: Int?

  /// A text with the cursor at its end.
  package init(_ text: String) {
    characters = Array(text)
    self.text = text
    cursor = characters.count
  }

  /// What is selected; nil if nothing is.
  package var selection: Range<Int>? {
    guard let anchor, anchor != cursor else { return nil }
    return min(anchor, cursor)..<max(anchor, cursor)
  }

  package var selectedText: String { selection.map { String(characters[$0]) } ?? "" }

  /// Takes over a text that somebody else has set; the cursor stays where it was, as far as that goes.
  package mutating func replaceText(_ text: String) {
    if text == self.text { return }
    let wasAtEnd = cursor == characters.count
    characters = Array(text)
    self.text = text
    cursor = wasAtEnd ? characters.count : min(cursor, characters.count)
    anchor = nil
  }

  // MARK: - Moves

  /// Where a move leads.
  package enum Target: Sendable {
    case left, right, wordLeft, wordRight, start, end
    case place(Int)
  }

  /// Moves the cursor, and with `selects` the end of the selection.
  ///
  /// Without it, a step to the left or right from a selection leads to its end there.
  package mutating func move(_ target: Target, selects: Bool = false) {
    if !selects, let selection {
      switch target {
      case .left: return collapse(at: selection.lowerBound)
      case .right: return collapse(at: selection.upperBound)
      default: break
      }
    }
    if selects { anchor = anchor ?? cursor } else { anchor = nil }
    cursor = place(of: target)
  }

  private mutating func collapse(at place: Int) {
    cursor = place
    anchor = nil
  }

  package mutating func selectAll() {
    anchor = 0
    cursor = characters.count
  }

  /// Selects the word at a place, as a double click does.
  package mutating func selectWord(at place: Int) {
    cursor = min(max(place, 0), characters.count)
    cursor = min(cursor + 1, characters.count)
    cursor = self.place(of: .wordLeft)
    anchor = cursor
    while cursor < characters.count, TextBuffer.isWord(characters[cursor]) { cursor += 1 }
  }

  private func place(of target: Target) -> Int {
    switch target {
    case .left: return max(0, cursor - 1)
    case .right: return min(characters.count, cursor + 1)
    case .start: return 0
    case .end: return characters.count
    case .place(let place): return min(max(place, 0), characters.count)
    case .wordLeft:
      var place = cursor
      while place > 0, !TextBuffer.isWord(characters[place - 1]) { place -= 1 }
      while place > 0, TextBuffer.isWord(characters[place - 1]) { place -= 1 }
      return place
    case .wordRight:
      var place = cursor
      while place < characters.count, !TextBuffer.isWord(characters[place]) { place += 1 }
      while place < characters.count, TextBuffer.isWord(characters[place]) { place += 1 }
      return place
    }
  }

  private static func isWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }

  // MARK: - Edits

  /// Replaces the selection, or inserts at the cursor; a line end or a tab becomes a blank, and other control characters,
  /// which no field shows, are left out.
  package mutating func insert(_ text: String) {
    let new = text.compactMap { character -> Character? in
      if character.isNewline || character == "\t" { return " " }
      let isControl = character.unicodeScalars.contains {
        $0.properties.generalCategory == .control
      }
      return isControl ? nil : character
    }
    replace(selection ?? cursor..<cursor, with: new)
  }

  /// Deletes the selection, or else what is between the cursor and where a move would lead.
  package mutating func delete(_ target: Target) {
    let place = place(of: target)
    replace(selection ?? min(place, cursor)..<max(place, cursor), with: [])
  }

  /// Puts characters in the place of others, and the cursor behind them.
  ///
  /// Those that come to stand beside each other may join: an accent that is typed goes to the letter before it.
  private mutating func replace(_ range: Range<Int>, with new: [Character]) {
    anchor = nil
    cursor = range.lowerBound
    if range.isEmpty, new.isEmpty { return }
    // Nobody joins with more than who stands beside, but for the letters of flags, which pair from the first.
    var start = max(0, range.lowerBound - 1)
    while start > 0, CharacterWidth.isFlag(characters[start]) { start -= 1 }
    var end = min(characters.count, range.upperBound + 1)
    while end < characters.count, CharacterWidth.isFlag(characters[end - 1]) { end += 1 }
    let before = String(characters[start..<range.lowerBound] + new)
    let joined = Array(before + String(characters[range.upperBound..<end]))
    characters.replaceSubrange(start..<end, with: joined)
    text = String(characters)
    cursor = start
    var missing = before.utf8.count
    while missing > 0 {
      missing -= characters[cursor].utf8.count
      cursor += 1
    }
  }

  // MARK: - Cells

  /// The cells between two characters; at most `limit` of them are counted, and what goes beyond it.
  package func column(of place: Int, from start: Int = 0, limit: Int = .max) -> Int {
    var column = 0
    for character in characters[start..<min(max(place, start), characters.count)] {
      column += CharacterWidth.ofShown(character)
      if column > limit { break }
    }
    return column
  }

  /// The place whose character stands in a column: the left half of a wide one is before it.
  package func place(atColumn column: Int, from start: Int = 0) -> Int {
    var used = 0
    for place in start..<characters.count {
      let width = CharacterWidth.ofShown(characters[place])
      if column < used + max(1, (width + 1) / 2) { return place }
      used += width
    }
    return characters.count
  }

  /// The first character of which all up to another stands in a width, if not those from `start` on do.
  package func firstPlace(_ start: Int, showing place: Int, in width: Int) -> Int {
    if place < start { return place }
    let start = min(start, characters.count)
    if column(of: place, from: start, limit: width) <= width { return start }
    var first = place
    var used = 0
    while first > start {
      used += CharacterWidth.ofShown(characters[first - 1])
      if used > width { break }
      first -= 1
    }
    return first
  }
}
