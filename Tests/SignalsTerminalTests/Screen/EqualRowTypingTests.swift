import Signals
import SignalsTerminal
import Testing

/// Typing into rows whose ids are equal, or become so while one types.
@Suite struct `Screen, typing into equal rows` {
  private final class Item: Object { @Field var tags: [String] = [] }

  private struct Placed {
    let place: Int
    let tag: String
  }

  enum Way: CaseIterable { case binding, custom, list }

  private func screen(_ item: Item, _ way: Way) -> TerminalScreen {
    TerminalScreen(Store(), width: 30, height: 12) {
      switch way {
      case .binding:
        ForEachBinding(
          Binding(get: { item.tags }, set: { item.tags = $0 }), id: \.self
        ) { $tag in TextField("t", text: $tag, id: "tag") }
      case .list:
        ListBox(id: "list") {
          ForEachBinding(
            Binding(get: { item.tags }, set: { item.tags = $0 }), id: \.self
          ) { $tag in TextField("t", text: $tag, id: "tag") }
        }
      case .custom:
        ForEach(item.tags.indices.map { Placed(place: $0, tag: item.tags[$0]) }, id: \.tag) { row in
          TextField(
            "t", text: Binding(get: { row.tag }, set: { item.tags[row.place] = $0 }), id: "tag")
        }
      }
      Button("Foot", id: "foot") {}
    }
  }

  @Test(
    arguments: Way.allCases,
    [
      (["", ""], 1, "hi", ["", "hi"]), (["", ""], 0, "hi", ["hi", ""]),
      (["red", "re"], 1, "ds", ["red", "reds"]), (["re", "red"], 0, "ds", ["reds", "red"]),
      (["", "", ""], 1, "xyz", ["", "xyz", ""]),
      (["a", "ab", "a"], 2, "bcd", ["a", "ab", "abcd"]),
    ]) func `goes to the row that has the focus`(
      _ way: Way, _ example: (old: [String], row: Int, text: String, new: [String])
    )
  {
    let item = Item()
    item.tags = example.old
    let screen = screen(item, way)
    for _ in 0..<example.row { screen.press("down") }
    screen.type(example.text)
    #expect(item.tags == example.new)
    #expect(screen.focus == "tag")
    screen.press("home")
    screen.type("<")
    screen.press("end", "delete")
    var edited = example.new
    edited[example.row] = String("<\(example.new[example.row])".dropLast())
    #expect(item.tags == edited, "the cursor is where it was put")
  }
}
