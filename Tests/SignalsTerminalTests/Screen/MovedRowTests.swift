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

  @Test(arguments: [Container.listBox, .scrollBox, .none], [3, 70])
  func `rows inserted while a dialog covers a row leave it the focus`(
    _ container: Container, _ count: Int
  ) throws {
    _ = try add(count, "m")
    let screen = screen(container, isButton: true)
    screen.press("down", "return")
    #expect(screen.focus == "name")
    _ = try add(100, "a")
    #expect(screen.text.hasPrefix("Rename"))
    _ = try add(100, "b")
    screen.press("escape")
    #expect(screen.focus == "t1" && screen.text.contains("m1001"))
    screen.press("down")
    #expect(screen.focus == "t2" && screen.text.contains("m1002"))
  }

  private struct PlainRow: View {
    @ObservedObject var item: Item
    @Binding var renamed: Item?
    var body: Element { Button(item.title, id: "t\(item.number)") { renamed = item } }
  }

  private struct Renaming: View {
    @ObservedResults(Item.self, sortedBy: \.title) var items
    @State private var renamed: Item?

    var body: Element {
      ListBox(id: "l") { ForEach(items) { PlainRow(item: $0, renamed: $renamed) } }
        .dialog(
          "Rename",
          isPresented: Binding(get: { renamed != nil }, set: { if !$0 { renamed = nil } })
        ) {
          if let renamed {
            TextField(
              "Name", text: Binding(get: { renamed.title }, set: { renamed.title = $0 }),
              id: "name")
          }
          Button("Save", id: "save") { renamed = nil }
        }
    }
  }

  @Test func `a row of many that were looked at has the focus after a dialog of its list`() throws {
    let items = try add(1_000, "m")
    let screen = TerminalScreen(store, width: 30, height: 6) { Renaming() }
    for _ in 0..<700 { screen.press("down") }
    #expect(screen.focus == "t700")
    screen.press("return", "home")
    screen.type("a long new name ")
    screen.press("tab", "return")
    #expect(items[700].title == "a long new name m1700")
    #expect(screen.focus == "t700" && screen.text.contains("a long new name m1700"))
    screen.press("return")
    #expect(screen.text.hasPrefix("Rename"))
  }

  private struct Focusing: View {
    @Focus private var focus
    @State private var isShown = false
    let used: Signal<[Int]>

    var body: Element {
      ForEach(0..<10, id: \.self) { number in
        Button("row \(number)", id: "row") {
          isShown = true
          focus = "name"
          used.value.append(number)
        }
      }
      .dialog("Name", isPresented: $isShown) {
        TextField("N", text: .constant("name"), id: "name")
        Button("Close", id: "close") { isShown = false }
      }
    }
  }

  @Test func `a row has the focus after a dialog that took it, whatever the ids of others`() {
    let used = Signal<[Int]>([])
    let screen = TerminalScreen(store, width: 30, height: 6) { Focusing(used: used) }
    for _ in 0..<7 { screen.press("down") }
    screen.press("return")
    #expect(screen.focus == "name")
    screen.press("tab", "return")
    #expect(screen.focus == "row" && screen.text.contains("row 7"))
    screen.press("return", "escape", "up", "return")
    #expect(used.value == [7, 7, 6])
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
    let numbers = Signal(Array(0..<100))
    let title = Signal("")
    let screen = TerminalScreen(store, width: 30, height: 6) {
      ListBox(id: "l") {
        ForEach(numbers.value, id: \.self) { number in
          let _ = count += 1
          TextField("t", text: title.binding, id: "t\(number)")
        }
      }
    }
    screen.press("down")
    #expect(screen.focus == "t1")
    count = 0
    numbers.value.swapAt(1, 99)
    screen.type("a")
    numbers.value = Array(1_000..<50_000) + numbers.value + Array(50_000..<100_000)
    screen.type("b")
    numbers.value.swapAt(3, try #require(numbers.value.firstIndex(of: 1)))
    screen.type("c")
    #expect(title.value == "abc" && screen.focus == "t1")
    #expect(count < 500)
  }
}
