import Signals
import SignalsTesting
import TestSupport
import Testing

/// Edits of lists through bindings, which mean what was on screen.
@Suite struct `Views, bindings to lists` {
  final class Item: Object {
    @Field var name = ""

    convenience init(_ name: String) {
      self.init()
      self.name = name
    }
  }

  final class Box: Object { @Links var items: List<Item> }

  let store = Store()
  let box = Box()

  init() throws {
    for name in ["a", "b", "c", "d"] { box.items.append(Item(name)) }
    try store.write(undoable: false) { try store.add(box) }
  }

  private var items: Binding<List<Item>> { ObservedObject(wrappedValue: box).projectedValue.items }
  private var names: String { box.items.map(\.name).joined() }

  @Test func `appending and removing is one commit each, and adds what is new`() throws {
    var commits = 0
    let token = store.commits.sink { _ in commits += 1 }
    items.append(Item("e"))
    items.remove(box.items[0])
    items.remove(Item("none"))
    #expect((names, commits) == ("bcde", 2))
    #expect(store.results(Item.self).count == 5)
    token.cancel()
  }

  @Test func `removing means what was shown, and passes over what has gone`() {
    let shown = box.items
    box.items.remove(at: 0)
    items.remove(atOffsets: [0, 1, 1], in: shown)
    #expect(names == "cd")
  }

  @Test func `of an object that is there twice the one nearest to where it was shown goes`() {
    let first = box.items[0]
    box.items.append(first)
    let shown = box.items
    items.remove(atOffsets: [4], in: shown)
    #expect(names == "abcd")
    box.items.append(first)
    items.remove(atOffsets: [0, 4], in: shown)
    #expect(names == "bcd")
  }

  @Test func `moving means what was shown`() {
    let shown = box.items
    box.items.insert(Item("x"), at: 0)
    items.move(fromOffsets: [3], toOffset: 1, in: shown)
    #expect(names == "xadbc")
  }

  @Test func `where the destination has gone the next that is there replaces it`() {
    let shown = box.items
    box.items.remove(at: 1)
    items.move(fromOffsets: [3], toOffset: 1, in: shown)
    #expect(names == "adc")
    box.items.remove(at: 2)
    items.move(fromOffsets: [0], toOffset: 2, in: shown)
    #expect(names == "ad")
    box.items.remove(at: 1)
    box.items.append(Item("e"))
    items.move(fromOffsets: [0], toOffset: 2, in: shown)
    #expect(names == "ea")
  }

  @Test func `offsets outside of what was shown are a trap`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let box = Box()
      let items = ObservedObject(wrappedValue: box).projectedValue.items
      items.remove(atOffsets: [0], in: box.items)
    }
    expectError(result, "offset 0 is outside of the 0 rows of Item on screen")
  }
}
