import Signals
import SignalsTerminal
import Testing

/// Rows that have the focus, and go far away in their list.
@Suite struct `Screen, rows that move far` {
  private final class Item: Object {
    @Field var title = ""
    @Field var number = 0
  }

  private struct ItemRow: View {
    @ObservedObject var item: Item
    @State private var renames = false
    let isButton: Bool

    var body: Element {
      if isButton {
        Button(item.title, id: "t\(item.number)") { renames = true }
          .dialog("Rename", isPresented: $renames) {
            TextField("Name", text: $item.title, id: "name")
            Button("Save", id: "save") { renames = false }
          }
      } else {
        TextField("t", text: $item.title, id: "t\(item.number)")
      }
    }
  }

  enum Container: CaseIterable { case listBox, scrollBox, none, section }

  private struct Screen: View {
    @ObservedResults(Item.self, sortedBy: \.title) var items
    let container: Container
    let isButton: Bool

    var body: Element {
      switch container {
      case .listBox: ListBox(id: "l") { rows }
      case .scrollBox: ScrollBox(id: "l") { rows }
      case .none: rows
      case .section:
        ListBox(id: "l") {
          if items.count > 250 { Text("many") }
          ForEach([0], id: \.self) { _ in Section("S") { rows } }
        }
      }
      Text("foot")
    }

    @ElementBuilder private var rows: Element {
      ForEach(items) { ItemRow(item: $0, isButton: isButton) }
    }
  }

  private let store = Store()

  private func add(_ count: Int, _ prefix: String) throws -> [Item] {
    var items: [Item] = []
    try store.write {
      for number in 0..<count {
        let item = Item()
        try store.add(item)
        item.title = "\(prefix)\(1000 + number)"
        item.number = prefix == "m" ? number : 1000 + number
        items.append(item)
      }
    }
    return items
  }

  private func screen(_ container: Container, isButton: Bool = false) -> TerminalScreen {
    TerminalScreen(store, width: 30, height: 6) { Screen(container: container, isButton: isButton) }
  }

  @Test(arguments: Container.allCases, [64, 70, 300])
  func `what is typed continues in a row that it moves to the other end`(
    _ container: Container, _ count: Int
  ) throws {
    let items = try add(count, "m")
    let screen = screen(container)
    screen.press("down", "home")
    screen.type("zbc")
    #expect(items[1].title == "zbcm1001")
    #expect(screen.focus == "t1" && screen.text.contains("zbcm1001"))
    screen.press("delete", "ctrl-u")
    #expect(items[1].title == "m1001")
    #expect(screen.focus == "t1" && screen.text.contains("m1001"))
  }

  @Test(arguments: Container.allCases, [(3, 100), (70, 100), (70, 5_000)])
  func `rows inserted before a row leave it the keys`(
    _ container: Container, _ counts: (Int, Int)
  ) throws {
    let (count, inserted) = counts
    let items = try add(count, "m")
    let screen = screen(container)
    screen.press("down")
    screen.type("b")
    _ = try add(inserted, "a")
    screen.type("c")
    #expect(items[1].title == "m1001bc")
    #expect(screen.focus == "t1" && screen.text.contains("m1001bc"))
    _ = try add(inserted, "b")
    _ = screen.text
    _ = try add(inserted, "c")
    screen.press("down")
    #expect(screen.focus == "t2" && screen.text.contains("m1002"))
  }

  @Test(arguments: Container.allCases) func `a row that was pushed away is used by return`(
    _ container: Container
  ) throws {
    _ = try add(70, "m")
    let screen = screen(container, isButton: true)
    screen.press("down")
    _ = try add(100, "a")
    screen.press("return")
    #expect(screen.text.hasPrefix("Rename"))
  }

  @Test(arguments: Container.allCases) func `a row that its dialog moved has the focus after it`(
    _ container: Container
  ) throws {
    let items = try add(70, "m")
    let screen = screen(container, isButton: true)
    screen.press("down")
    #expect(screen.focus == "t1")
    screen.press("return")
    #expect(screen.focus == "name")
    screen.press("home")
    screen.type("z")
    screen.press("tab", "return")
    #expect(items[1].title == "zm1001")
    #expect(screen.focus == "t1" && screen.text.contains("zm1001"))
    screen.press("return")
    #expect(screen.text.hasPrefix("Rename"))
    screen.press("escape", "up")
    #expect(screen.focus == "t69")
  }

  @Test func `a list that becomes part of a scrolling screen keeps the focus on its row`() throws {
    _ = try add(200, "m")
    let screen = TerminalScreen(store, width: 30, height: 14) {
      for number in 0..<8 { Text("line \(number)") }
      Screen(container: .listBox, isButton: false)
    }
    for _ in 0..<40 { screen.press("down") }
    #expect(screen.focus == "t40")
    screen.resize(width: 30, height: 6)
    screen.type("c")
    #expect(screen.focus == "t40" && screen.text.contains("m1040c"))
  }

  @Test func `a row of many is found without looking at all of them`() throws {
    var count = 0
    let numbers = Signal(Array(0..<100_000))
    let title = Signal("")
    let screen = TerminalScreen(store, width: 30, height: 6) {
      ListBox(id: "l") {
        ForEach(numbers.value, id: \.self) { number in
          let _ = count += 1
          TextField("t", text: title.binding, id: "t\(number)")
        }
      }
    }
    #expect(screen.focus == "t0")
    count = 0
    numbers.value.swapAt(0, 99_999)
    screen.type("ab")
    #expect(title.value == "ab" && screen.focus == "t0")
    #expect(count < 300)
  }
}
