package import Signals
import SignalsTesting
import Testing

/// What the tests of views show on screen.
package final class Note: Object {
  @PrimaryKey package var number = 0
  @Field package var title = ""
  @Field package var rank = 0
  @Field package var isDone = false
}

/// A store of notes with the numbers from 0 up, each titled "note N" and ranked by its number.
package func notes(_ count: Int) throws -> (store: Store, notes: [Note]) {
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
  package var isDoneText: String { isDone ? "done" : "open" }
}

/// Counts what views do.
package final class Count {
  package var value = 0
  package var log: [String] = []

  package init() {}

  package struct Stop: Error {
    package init() {}
  }
}

/// Keeps the frames that it was given, and asks for nothing.
package final class FrameLog: Renderer {
  package var frames: [Frame] = []
  package var olds: [Frame?] = []

  package init() {}

  package func commit(_ new: Frame, replacing old: Frame?) {
    frames.append(new)
    olds.append(old)
  }
}

/// Draws only some of the rows, as a scrolling list does.
package final class WindowRenderer: Renderer {
  package var window: Range<Int>
  package private(set) var frame: Frame?
  package private(set) var texts: [String] = []

  package init(_ window: Range<Int>) { self.window = window }

  package func commit(_ new: Frame, replacing old: Frame?) {
    frame = new
    draw()
  }

  package func draw() {
    guard let frame else { return }
    guard let list = frame.elements(of: frame.root).first?.scope,
      let rows = frame.rows(of: list)
    else { return }
    texts = rows[window.clamped(to: 0..<rows.count)].flatMap { frame.texts(in: $0) }
  }
}

extension Frame {
  /// The texts of a scope and of all scopes in it.
  package func texts(in scope: ScopeID) -> [String] { texts(in: elements(of: scope)) }

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

extension Element {
  /// The scope that the element refers to, if it is one.
  package var scope: ScopeID? {
    guard case .scope(let scope)? = content else { return nil }
    return scope
  }
}
