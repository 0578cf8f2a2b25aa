import Signals
import SignalsTesting
import Testing

/// What the tests of views show on screen.
final class Note: Object {
  @PrimaryKey var number = 0
  @Field var title = ""
  @Field var rank = 0
  @Field var isDone = false
}

/// A store of notes with the numbers from 0 up, each titled "note N" and ranked by its number.
func notes(_ count: Int) throws -> (store: Store, notes: [Note]) {
  let store = Store()
  let notes = (0..<count).map { number in
    let note = Note()
    note.number = number
    note.title = "note \(number)"
    note.rank = number
    return note
  }
  try store.write(undoable: false) { for note in notes { try store.add(note) } }
  return (store, notes)
}

extension Note {
  var isDoneText: String { isDone ? "done" : "open" }
}

/// Counts what views do.
final class Count {
  var value = 0
  var log: [String] = []

  struct Stop: Error {}
}

/// Keeps the frames that it was given, and asks for nothing.
final class FrameLog: Renderer {
  var frames: [Frame] = []
  var olds: [Frame?] = []

  func commit(_ new: Frame, replacing old: Frame?) {
    frames.append(new)
    olds.append(old)
  }
}

/// Draws only some of the rows, as a scrolling list does.
final class WindowRenderer: Renderer {
  var window: Range<Int>
  private(set) var frame: Frame?
  private(set) var texts: [String] = []

  init(_ window: Range<Int>) { self.window = window }

  func commit(_ new: Frame, replacing old: Frame?) {
    frame = new
    draw()
  }

  func draw() {
    guard let frame else { return }
    guard let list = frame.elements(of: frame.root).first?.scope,
      let rows = frame.rows(of: list)
    else { return }
    texts = rows[window.clamped(to: 0..<rows.count)].flatMap { frame.texts(in: $0) }
  }
}

extension Frame {
  /// The texts of a scope and of all scopes in it.
  func texts(in scope: ScopeID) -> [String] { texts(in: elements(of: scope)) }

  private func texts(in elements: [Element]) -> [String] {
    elements.flatMap { element -> [String] in
      switch element.content {
      case .drawn(let drawn): [drawn.text] + texts(in: drawn.children)
      case .scope(let scope): texts(in: scope)
      case nil: []
      }
    }
  }
}
