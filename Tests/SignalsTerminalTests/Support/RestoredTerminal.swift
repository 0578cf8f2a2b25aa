import Testing

extension PseudoTerminal {
  /// Expects that an app has given the terminal back as it was.
  func expectRestored(sourceLocation: SourceLocation = #_sourceLocation) {
    read()
    #expect(isCooked, sourceLocation: sourceLocation)
    #expect(emulator.modes == ["?7", "?25"], sourceLocation: sourceLocation)
    let text = String(decoding: written, as: UTF8.self)
    #expect(
      text.contains("\u{1B}[?1049h") && text.hasSuffix("\u{1B}[?1049l"),
      sourceLocation: sourceLocation)
  }
}
