// The words of a text, and of a search for them.
//
// A word is a run of letters and digits. Ideographs and kana, which are written without spaces, are
// words by themselves. Words are compared without case and diacritics: `Straße` is `strasse`, `Ångström`
// is `angstrom`. A Latin, Greek or Cyrillic letter with marks is replaced by the letter in its Unicode
// name, LATIN SMALL LETTER O for LATIN SMALL LETTER O WITH STROKE. From others, combining marks are
// removed, unless the letter with its mark is one code, as in Japanese.

/// A word to be found.
struct SearchTerm: Hashable {
  let word: String
  /// Whether longer words that begin with it are found too.
  let isPrefix: Bool

  /// Returns the words to be found in a search text; a `*` behind a word makes it a prefix.
  static func terms(of text: String) -> [SearchTerm] {
    var terms: [SearchTerm] = []
    for piece in text.split(whereSeparator: \.isWhitespace) {
      var words: [String] = []
      SearchWords.forEach(in: String(piece)) { words.append($0) }
      for (index, word) in words.enumerated() {
        let isPrefix = piece.last == "*" && index == words.count - 1
        terms.append(SearchTerm(word: word, isPrefix: isPrefix))
      }
    }
    return terms
  }

  func matches(_ word: String) -> Bool {
    isPrefix ? word.hasPrefix(self.word) : word == self.word
  }
}

extension [SearchTerm] {
  /// Removes the terms that a text contains.
  mutating func removeWords(of text: String) {
    if isEmpty { return }
    SearchWords.forEach(in: text) { word in removeAll { $0.matches(word) } }
  }
}

/// Finds the words of texts.
enum SearchWords {
  /// Calls `body` with each word of a text, without case and diacritics.
  static func forEach(in text: String, _ body: (String) -> Void) {
    let bytes = text.utf8Span.span
    var word: [UInt8] = []
    for index in bytes.indices {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        word.append(byte)
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): word.append(byte | 0x20)
      case 0x80...:
        let start = text.utf8.index(text.startIndex, offsetBy: index - word.count)
        return forEachCharacter(in: text[start...], body)
      default: emit(&word, to: body)
      }
    }
    emit(&word, to: body)
  }

  private static func emit(_ word: inout [UInt8], to body: (String) -> Void) {
    if word.isEmpty { return }
    body(String(decoding: word, as: UTF8.self))
    word.removeAll(keepingCapacity: true)
  }

  private static func forEachCharacter(in text: Substring, _ body: (String) -> Void) {
    var word = ""
    for character in text {
      let isApart = isWrittenWithoutSpaces(character)
      let isPart = !isApart && (character.isLetter || character.isNumber)
      if !isPart, !word.isEmpty {
        body(word)
        word = ""
      }
      if isPart { word += folded(character) }
      if isApart { body(folded(character)) }
    }
    if !word.isEmpty { body(word) }
  }

  private static func isWrittenWithoutSpaces(_ character: Character) -> Bool {
    guard let scalar = character.unicodeScalars.first else { return false }
    return scalar.properties.isIdeographic
      || (0x3041...0x30FF).contains(scalar.value) && character.isLetter
  }

  /// Returns a character in lower case, without diacritics.
  private static func folded(_ character: Character) -> String {
    var folded = ""
    // By way of upper case, which is the same for all forms of a letter.
    for character in character.uppercased().lowercased() {
      if character.isASCII {
        folded.append(character)
      } else if let letter = plainLetters[character] {
        folded.unicodeScalars.append(letter)
      } else {
        folded.unicodeScalars += character.unicodeScalars.filter {
          $0.properties.generalCategory != .nonspacingMark
        }
      }
    }
    return folded
  }

  /// The letters that may have marks in them, each without those that are removed.
  ///
  /// A letter and its decomposition are one key, because characters are compared canonically.
  private static let plainLetters: [Character: Unicode.Scalar] = {
    let blocks: [ClosedRange<UInt32>] = [0x61...0x1FFF, 0x3041...0x30FF, 0xFB1D...0xFB4F]
    let letters = blocks.joined().lazy.compactMap(Unicode.Scalar.init).filter {
      $0.properties.isAlphabetic
    }
    var plain: [Character: Unicode.Scalar] = [:]
    for letter in letters { plain[Character(letter)] = letter }
    var named: [String: Unicode.Scalar] = [:]
    let lowercase = letters.filter(\.properties.isLowercase)
    for letter in lowercase { letter.properties.name.map { named[$0] = letter } }
    for letter in lowercase {
      guard let name = letter.properties.name else { continue }
      named[nameWithoutMarks(name)].map { plain[Character(letter)] = $0 }
    }
    return plain
  }()

  /// Returns the part of a Unicode name before the word WITH.
  private static func nameWithoutMarks(_ name: String) -> String {
    let words = name.split(separator: " ")
    return words.prefix { $0 != "WITH" }.joined(separator: " ")
  }
}
