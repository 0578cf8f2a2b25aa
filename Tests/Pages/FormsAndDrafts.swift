// What the page says, and no block of it shows.

import Signals
import SignalsTesting
import Testing

struct Claims {
  let store = Store()
  let list = ItemList()
  let item = Item()

  init() throws {
    (item.title, item.list) = ("milk", list)
    try store.add(item)
  }

  private func app() throws -> TestHost { try TestHost(store) { ItemsScreen() } }

  @Test func `one form does for a stored item and for a new one`() throws {
    let app = try app()
    try app.tap("open-\(item.objectID)")
    try app.type("oat milk", into: "title")
    #expect(item.title == "milk")
    try app.tap("save")
    #expect(item.title == "oat milk")
    #expect(store.results(Item.self).count == 1)
  }

  @Test func `cancel leaves everything as it was`() throws {
    let app = try app()
    try app.tap("open-\(item.objectID)")
    try app.expectNoChange(.graph) {
      try app.type("oat milk", into: "title")
      try app.tap("cancel")
    }
    #expect(app.exists("open-\(item.objectID)"))
  }

  @Test func `a field that nobody has touched is not scolded`() throws {
    let app = try app()
    try app.tap("new")
    #expect(!app.text.contains("!"))
    try app.type("1000", into: "minutes")
    #expect(app.text.contains("! Between 1 and 480 minutes"))
    #expect(!app.text.contains("! Say what is to do"))
  }

  @Test func `what is no value goes when the draft is discarded`() throws {
    let app = try app()
    try app.tap("open-\(item.objectID)")
    try app.type("1o", into: "minutes")
    #expect(app.text.contains("! \"1o\" can't be used here"))
    try app.tap("cancel")
    try app.tap("open-\(item.objectID)")
    #expect(app.text.contains("minutes: [10]\n"))
  }

  @Test func `a link leads to the stored object`() {
    #expect(store.draft(of: item).list === list)
  }
}
