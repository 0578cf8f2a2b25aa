import CatalogApp
import Glibc

/// Whether a line asks to stop.
func isQuit(_ line: String) -> Bool {
  line.unicodeScalars.split { $0 == " " || $0 == "\t" }.map { String($0) } == ["quit"]
}

/// One intent a line; after each the frame as text.
func runPlain(_ session: Session, showsStatistics: Bool) {
  func write(_ echo: String, _ answer: Session.Answer) {
    var text = "> \(echo)\n\(answer.text)\n"
    if showsStatistics { text += "\(answer.statistics)\n" }
    print(text)
    flush()
  }
  write("start", session.start)
  while let line = readLine() {
    if line.isBlank { continue }
    if isQuit(line) { return }
    write(line, session.perform(line))
  }
}

/// Shows what was printed, though nobody may be waiting at a terminal.
private func flush() { fflush(nil) }
