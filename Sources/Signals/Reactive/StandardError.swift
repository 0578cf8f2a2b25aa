private import CSignalsThread

/// Prints a message where no caller can be given an error.
func writeToStandardError(_ message: String) {
  var message = message
  message.withUTF8 { bytes in
    unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
      guard let start = characters.baseAddress else { return }
      unsafe signals_write_error(start, UInt(characters.count))
    }
  }
}
