/// A line of text that is edited: with a cursor, a selection, and moves by characters and words.
///
/// A character is what a reader takes for one: a letter with its accents, an emoji of several scalars. The cursor never
/// stands within one.
package struct TextBuffer: Equatable {
  /// The text.
  package private(set) var characters: [Character]
  /// Before which character the cursor stands.
  package private(set) var cursor: Int
  /// Where the selection began; nil if nothing is selected.
  package private(set) var anchor: Int?

  /// A text with the cursor at its end.
  package init(_ text: String) {
    characters = Array(text)
    cursor = characters.count
  }

  package var text: String { String(characters) }

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

  /// Replaces the selection, or inserts at the cursor; a line end becomes a blank.
  package mutating func insert(_ text: String) {
    delete(selection ?? cursor..<cursor)
    let before = String(characters[..<cursor])
    let rest = String(characters[cursor...])
    let new = String(text.map { $0.isNewline ? " " : $0 })
    // Characters join with those beside them: an accent that is typed goes to the letter before.
    let head = Array(before + new)
    characters = Array(before + new + rest)
    cursor = min(head.count, characters.count)
    // What was typed joined with what follows: stand behind it.
    if cursor < characters.count, String(characters[..<cursor]) != before + new {
      cursor = Array(before + new).count
    }
  }

  /// Deletes the selection, or else what is between the cursor and where a move would lead.
  package mutating func delete(_ target: Target) {
    if let selection { return delete(selection) }
    let place = place(of: target)
    delete(min(place, cursor)..<max(place, cursor))
  }

  private mutating func delete(_ range: Range<Int>) {
    anchor = nil
    cursor = range.lowerBound
    if range.isEmpty { return }
    // Characters that come to stand beside each other may join.
    let before = Array(String(characters[..<range.lowerBound]))
    characters = Array(String(before) + String(characters[range.upperBound...]))
    cursor = min(before.count, characters.count)
  }

  // MARK: - Cells

  /// The cells before a character.
  package func column(of place: Int) -> Int {
    characters[..<min(max(place, 0), characters.count)].reduce(0) {
      $0 + CharacterWidth.of(CharacterWidth.shown($1))
    }
  }

  /// The place whose character stands in a column: the left half of a wide one is before it.
  package func place(atColumn column: Int) -> Int {
    var used = 0
    for (place, character) in characters.enumerated() {
      let width = CharacterWidth.of(CharacterWidth.shown(character))
      if column < used + max(1, (width + 1) / 2) { return place }
      used += width
    }
    return characters.count
  }
}
