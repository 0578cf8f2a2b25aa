import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite struct `Results made where they are read` {
  final class Item: Object {
    @Field var size = 0
  }

  let store = Store()

  private func add(_ size: Int) throws {
    let item = Item()
    item.size = size
    try store.add(item)
  }

  @Test func `an effect follows a result without other users`() throws {
    var counts: [Int] = []
    let effect = Effect { counts.append(store.results(Item.self).where { $0.size > 1 }.count) }
    try add(1)
    try add(2)
    try add(3)
    #expect(counts == [0, 1, 2])
    effect.cancel()
    try add(4)
    #expect(counts == [0, 1, 2])
  }

  @Test func `a computed and a view do so too`() throws {
    struct Count: View {
      let store: Store

      var body: Element {
        Text("\(store.results(Item.self).where { $0.size > 1 }.count) large")
      }
    }
    let count = Computed { store.results(Item.self).count }
    let app = try TestHost(store) { Count(store: store) }
    #expect(count.value == 0)
    try add(2)
    #expect(count.value == 1)
    #expect(app.text == "1 large")
    try add(0)
    #expect(count.value == 2)
    #expect(app.bodies == 3)
  }

  @Test func `a result is released when its last reader is gone`() throws {
    weak var weakStore: Store?
    do {
      let store = Store()
      weakStore = store
      let effect = Effect { _ = store.results(Item.self).count }
      try store.add(Item())
      effect.cancel()
    }
    #expect(weakStore == nil)
  }
}
