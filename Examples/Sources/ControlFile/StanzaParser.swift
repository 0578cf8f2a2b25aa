/// Reads a control file line by line and collects its packages.
///
/// Three pieces of state follow the current stanza: its first line (0 between stanzas), the first
/// thing found wrong with it, and the field that a continuation line would continue. A malformed
/// stanza is read to its end like any other, for its end is where the next begins.
struct StanzaParser {
  /// The packages so far, the last of each name in the place of the first.
  private(set) var packages: [ControlPackage] = []

  /// The stanzas skipped so far, in the order of the file.
  private(set) var malformed: [MalformedStanza] = []

  private var places: [ScalarText: Int] = [:]

  private var line = 0
  private var stanza = 0
  private var firstLine = 0
  private var problem: MalformedStanza.Reason?
  private var open: Field?
  private var values = FieldValues()
  private var names = FieldNames()

  /// Reads one line, given without its line feed.
  mutating func consume(_ text: Span<UInt8>) {
    line += 1
    guard text.count > 0 else { return endStanza() }
    let first = text[0]
    if first == ASCII.hash { return }
    // Most lines begin with a field name: no need to look for their first byte that is not white.
    if ASCII.isWhite(first) {
      let value = text.trimmedRange(from: 0)
      guard !value.isEmpty else { return endStanza() }
      beginLine()
      if ASCII.isBlank(first) {
        continueField(with: text.extracting(value))
      } else {
        fail(.notAField)
      }
    } else {
      beginLine()
      beginField(text)
    }
  }

  /// Ends the current stanza, if there is one: at a line of white space and at the end of the file.
  mutating func endStanza() {
    guard firstLine > 0 else { return }
    if problem == nil, values.contains(.package), values[.package].isEmpty {
      problem = .emptyPackage
    }
    if let problem {
      malformed.append(MalformedStanza(line: firstLine, reason: problem))
    } else if values.contains(.package) {
      add(ControlPackage(values))
    }
    values.removeAll()
    firstLine = 0
    problem = nil
    open = nil
  }

  private mutating func add(_ package: ControlPackage) {
    if let place = places[package.name] {
      packages[place] = package
    } else {
      places[package.name] = packages.count
      packages.append(package)
    }
  }

  private mutating func beginLine() {
    guard firstLine == 0 else { return }
    firstLine = line
    stanza += 1
  }

  private mutating func fail(_ reason: MalformedStanza.Reason) {
    if problem == nil { problem = reason }
  }

  private mutating func beginField(_ text: Span<UInt8>) {
    let nameEnd = text.firstIndex(from: 0) { !ASCII.isNameByte($0) }
    // Blanks before the colon are not in the policy, but dpkg and apt both read them.
    let colon = text.firstIndex(from: nameEnd) { !ASCII.isBlank($0) }
    guard nameEnd > 0, text[0] != UInt8(ascii: "-"), colon < text.count, text[colon] == ASCII.colon
    else { return fail(.notAField) }
    let name = text.extracting(..<nameEnd)
    guard let field = names.note(name, stanza: stanza) else {
      let spelt = unsafe name.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
      return fail(.repeatedField(spelt))
    }
    open = field
    if field != .other { values.add(field, text.extracting(text.trimmedRange(from: colon + 1))) }
  }

  private mutating func continueField(with value: Span<UInt8>) {
    guard let open else { return fail(.strayContinuation) }
    if open != .other { values.extend(open, value) }
  }
}
