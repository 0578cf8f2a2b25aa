// The table of js-framework-benchmark: its rows and operations, as an app and in plain JavaScript.

import Signals
import Site

/// A row of the table.
final class Line: Object {
  @Field var number = 0
  @Field var label = ""
  @Field var isSelected = false
}

/// The table.
@MainActor
final class LineBoard {
  enum Operation: CaseIterable {
    case create, replace, update, select, swap, remove, createMany, append, clear
  }

  /// An operation, on a table that has the rows which it needs.
  struct Step {
    let name: Operation
    let operation: Operation
    let rows: Int
    let isMeasured: Bool

    init(_ name: Operation, as operation: Operation? = nil, _ rows: Int, isMeasured: Bool = true) {
      (self.name, self.operation) = (name, operation ?? name)
      (self.rows, self.isMeasured) = (rows, isMeasured)
    }
  }

  nonisolated static func steps(_ rows: Int) -> [Step] {
    [
      Step(.create, rows), Step(.replace, rows), Step(.update, 0), Step(.select, 0), Step(.swap, 0),
      Step(.remove, 0), Step(.clear, 0, isMeasured: false),
      Step(.create, rows, isMeasured: false), Step(.append, rows),
      Step(.clear, 0, isMeasured: false),
      Step(.create, rows, isMeasured: false), Step(.clear, 0),
      Step(.createMany, as: .create, 10 * rows), Step(.clear, 0, isMeasured: false),
    ]
  }

  private final class Rows: Object {
    @Links var lines: List<Line>
  }

  private struct Screen: View {
    @ObservedObject var rows: Rows

    var body: Element {
      Table([TableColumn("Number"), TableColumn("Label"), TableColumn("")]) {
        ForEach(rows.lines) { LineRow(line: $0) }
      }
    }
  }

  private struct LineRow: View {
    @ObservedObject var line: Line

    var body: Element {
      let row = TableRow {
        Text("\(line.number)")
        Button(line.label, id: "label") {}
        Button("×") {}
      }
      if line.isSelected { row.style(.emphasized) } else { row }
    }
  }

  private let store = Store(undoLimit: 0)
  private let rows = Rows()
  private var count = 0

  init() throws { try store.add(rows) }

  var app: SiteApp {
    SiteApp("lines", title: "Lines", store: store) { [rows] in Screen(rows: rows) }
  }

  /// A table that stays empty.
  static var emptyApp: SiteApp {
    SiteApp("plain", title: "Plain", store: Store()) {
      Table([TableColumn("Number"), TableColumn("Label"), TableColumn("")]) {}
    }
  }

  func perform(_ operation: Operation, _ number: Int) throws {
    try store.write(undoable: false) {
      let lines = rows.lines
      switch operation {
      case .create, .createMany, .append: append(number)
      case .replace:
        rows.lines.removeAll()
        append(number)
      case .update:
        for place in stride(from: 0, to: lines.count, by: 10) { lines[place].label += " !!!" }
      case .select:
        lines.first { $0.isSelected }?.isSelected = false
        lines[lines.count / 2].isSelected = true
      case .swap:
        let last = lines.count - 2
        rows.lines.move(fromOffsets: [last], toOffset: 1)
        rows.lines.move(fromOffsets: [2], toOffset: last + 1)
      case .remove: rows.lines.remove(at: lines.count / 3)
      case .clear: rows.lines.removeAll()
      }
    }
  }

  private func append(_ number: Int) {
    for _ in 0..<number {
      count += 1
      let line = Line()
      (line.number, line.label) = (count, "label \(count)")
      rows.lines.append(line)
    }
  }
}

/// The same operations on the same elements, as a page would do them by hand.
enum PlainTable {
  /// What the table shows.
  static let content =
    "[...document.querySelectorAll('tbody tr')].map(e => e.className + e.textContent).join()"

  /// Notes how long each message of a socket takes, until the page has its layout.
  static let clock = """
    window.times = []
    window.WebSocket = class extends WebSocket {
      set onmessage(use) {
        super.onmessage = event => {
          const start = performance.now()
          use(event)
          document.body.offsetHeight
          times.push(performance.now() - start)
        }
      }
    }
    """

  /// Makes `start`, with the markup of row 1, and `perform`, with an operation and a number of rows.
  static let script = """
    const body = document.querySelector("tbody")
    let row, count = 1
    const parts = line => [...line.querySelectorAll("td > *")].map(e => e.firstChild)
    const append = number => {
      const lines = document.createDocumentFragment()
      for (let place = 0; place < number; place++) {
        count++
        const line = row.cloneNode(true)
        const [number, label] = parts(line)
        number.data = count
        label.data = "label " + count
        lines.append(line)
      }
      body.append(lines)
    }
    const clear = () => body.textContent = ""
    const operations = {
      create: append,
      createMany: append,
      append,
      replace(number) { clear(); append(number) },
      update() {
        for (let place = 0; place < body.children.length; place += 10)
          parts(body.children[place])[1].data += " !!!"
      },
      select() {
        document.querySelector("tbody > .s-emphasized")?.removeAttribute("class")
        body.children[body.children.length >> 1].className = "s-emphasized"
      },
      swap() {
        const last = body.children.length - 2, [, first, next] = body.children
        const other = body.children[last]
        body.insertBefore(first, other)
        body.insertBefore(other, next)
      },
      remove() { body.children[Math.floor(body.children.length / 3)].remove() },
      clear,
    }
    window.start = markup => {
      const template = document.createElement("template")
      template.innerHTML = markup
      row = template.content.firstChild
    }
    window.perform = (name, number) => {
      const start = performance.now()
      operations[name](number)
      document.body.offsetHeight
      times.push(performance.now() - start)
    }
    """
}
