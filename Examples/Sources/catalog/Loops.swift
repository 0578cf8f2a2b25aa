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

/// A prompt on a terminal: the frame is drawn anew after each intent.
func runPrompt(_ session: Session) {
  let help = """
    filter TEXT | sort name|size|section [asc|desc] | section NAME|all | open NAME | back
    hold NAME | unhold NAME | remove NAME | undo | help | quit
    """
  var frame = session.start.text
  var message = help
  while true {
    print("\u{1B}[2J\u{1B}[H\(frame)\n\n\(message)\n> ", terminator: "")
    flush()
    guard let line = readLine(), !isQuit(line) else { return }
    message = ""
    if line.isBlank { continue }
    if line == "help" {
      message = help
      continue
    }
    let answer = session.perform(line)
    if answer.text.hasPrefix("error: ") { message = answer.text } else { frame = answer.text }
  }
}

/// Shows what was printed, though nobody may be waiting at a terminal.
private func flush() { fflush(nil) }
