/// An editable line of text with a cursor, a selection, and moves by characters and words.
///
/// A character is a grapheme cluster: a letter with its accents, or an emoji of several scalars.
/// The cursor is never within one.
///
/// State: `characters` and `text`, the same text in two forms; `cursor` and `anchor`, which are
/// positions between characters. An edit costs the inserted text plus a copy of the whole text. A
/// move costs the characters that it crosses.
package struct TextBuffer: Equatable {
  /// The text as an array of characters.
  package private(set) var characters: [Character]
  /// The text.
  package private(set) var text: String
  /// The index of the character after the cursor.
  package private(set) var cursor: Int
  /// The position where the selection began; nil if nothing is selected.
  package private(set) var anchor: Int?

  /// Creates a buffer with the cursor at the end of the text.
  package init(_ text: String) {
    characters = Array(text)
    self.text = text
    cursor = characters.count
  }

  /// The selected range; nil if nothing is selected.
  package var selection: Range<Int>? {
    guard let anchor, anchor != cursor else { return nil }
    return min(anchor, cursor)..<max(anchor, cursor)
  }

  /// The same text with a dot for each character.
  package var masked: TextBuffer {
    var masked = self
    masked.characters = Array(repeating: "•", count: characters.count)
    masked.text = String(masked.characters)
    return masked
  }

  package var selectedText: String { selection.map { String(characters[$0]) } ?? "" }

  /// Replaces the text by one set elsewhere.
  ///
  /// The cursor and the selection move with the characters around them, however many places of the
  /// text have changed. What was inserted at the cursor is behind it. A selection of which an end
  /// was replaced is dropped.
  ///
  /// - Parameters:
  ///   - text: The new text.
  ///   - isAnswer: Whether the text is the response to the user's last edit. Then a cursor at the
  ///     end stays at the end, and otherwise it stays before what others append.
  package mutating func replaceText(_ text: String, isAnswer: Bool = true) {
    if text == self.text { return }
    let change = CharacterChange(from: characters, to: Array(text))
    let wasAtEnd = cursor == characters.count && (isAnswer || characters.isEmpty)
    let selected = anchor.flatMap { anchor -> Int? in
      guard !change.replaces(around: anchor), !change.replaces(around: cursor) else { return nil }
      return change.place(of: anchor)
    }
    cursor = wasAtEnd ? change.new.count : change.place(of: cursor)
    anchor = selected
    characters = change.new
    self.text = text
  }

  // MARK: - Moves

  /// The destination of a move.
  package enum Target: Sendable {
    case left, right, wordLeft, wordRight, start, end
    case place(Int)
  }

  /// Moves the cursor.
  ///
  /// If `selects` is true, the selection is extended to it.
  ///
  /// If `selects` is false and there is a selection, a step to the left or right moves to that end
  /// of the selection.
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

  /// Selects the word at a position, as a double click does.
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

  /// Replaces the selection, or inserts at the cursor.
  ///
  /// A tab becomes a blank, and so does a line end, unless lines are kept. Other control characters,
  /// which a field can't show, are removed.
  package mutating func insert(_ text: String, keepsLines: Bool = false) {
    let new = text.compactMap { character -> Character? in
      if character.isNewline { return keepsLines ? "\n" : " " }
      if character == "\t" { return " " }
      let isControl = character.unicodeScalars.contains {
        $0.properties.generalCategory == .control
      }
      return isControl ? nil : character
    }
    replace(selection ?? cursor..<cursor, with: new)
  }

  /// Deletes the selection.
  ///
  /// If there is none, deletes the text between the cursor and the destination of a move.
  package mutating func delete(_ target: Target) {
    let place = place(of: target)
    replace(selection ?? min(place, cursor)..<max(place, cursor), with: [])
  }

  /// Replaces a range of characters and puts the cursor behind the new ones.
  ///
  /// Characters that become neighbors may combine: a typed accent combines with the letter before
  /// it.
  private mutating func replace(_ range: Range<Int>, with new: [Character]) {
    anchor = nil
    cursor = range.lowerBound
    if range.isEmpty, new.isEmpty { return }
    // Characters only combine with their neighbors, except for the letters of flags, which pair
    // from the first.
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

  /// Returns the number of cells between two characters.
  ///
  /// Counting stops after the first character that exceeds `limit`.
  package func column(of place: Int, from start: Int = 0, limit: Int = .max) -> Int {
    var column = 0
    for character in characters[start..<min(max(place, start), characters.count)] {
      column += CharacterWidth.ofShown(character)
      if column > limit { break }
    }
    return column
  }

  /// Returns the position for a column.
  ///
  /// The left half of a wide character counts as before it.
  package func place(atColumn column: Int, from start: Int = 0) -> Int {
    var used = 0
    for place in start..<characters.count {
      let width = CharacterWidth.ofShown(characters[place])
      if column < used + max(1, (width + 1) / 2) { return place }
      used += width
    }
    return characters.count
  }

  /// Returns the first character to show so that the text up to `place` fits into a width; `start`
  /// if it fits from there.
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
