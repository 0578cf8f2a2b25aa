// Statements of "Forms and drafts" that the page makes without showing them.

import Signals
import SignalsTesting
import Testing

/// The forms of the page.
@Suite("Forms and drafts, the page") struct FormsAndDraftsPageTests {
  final class ItemList: Object {
    @PrimaryKey var name = ""
  }

  final class Item: Object, Validating {
    @Field var title = ""
    @Field var minutes = 10
    @Link var list: ItemList?

    func validate(_ check: inout Validation) {
      check.require(!title.isEmpty, at: \Item.title, "Say what is to do")
      check.require((1...480).contains(minutes), at: \Item.minutes, "Between 1 and 480 minutes")
      check.require(list != nil, at: \Item.list, "Choose a list")
    }
  }

  struct ItemForm: View {
    @DraftObject var item: Item
    let opened: Binding<Item?>
    @ObservedResults(ItemList.self, sortedBy: \.name) var lists

    var body: Element {
      TextField("title", text: $item.title)
      TextField("minutes", value: $item.minutes)
      Picker("list", selection: $item.list, options: [nil] + lists.map { $0 }) {
        $0?.name ?? "none"
      }
      Button("save") {
        try $item.commit()
        opened.wrappedValue = nil
      }
      Button("cancel") {
        $item.discard()
        opened.wrappedValue = nil
      }
    }
  }

  struct ItemsScreen: View {
    @ObservedResults(Item.self, sortedBy: \.title) var items
    @State private var opened: Item?

    var body: Element {
      if let opened {
        ItemForm(item: opened, opened: $opened)
      } else {
        ForEach(items) { item in
          Button(item.title, id: "open-\(item.objectID)") { opened = item }
        }
        Button("new") { opened = Item() }
      }
    }
  }

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

  @Test func `cancel leaves everything unchanged`() throws {
    let app = try app()
    try app.tap("open-\(item.objectID)")
    try app.expectNoChange(exhaustivity: .graph) {
      try app.type("oat milk", into: "title")
      try app.tap("cancel")
    }
    #expect(app.exists("open-\(item.objectID)"))
  }

  @Test func `a field that was not edited shows no error`() throws {
    let app = try app()
    try app.tap("new")
    #expect(!app.text.contains("!"))
    try app.type("1000", into: "minutes")
    #expect(app.text.contains("! Between 1 and 480 minutes"))
    #expect(!app.text.contains("! Say what is to do"))
  }

  @Test func `text that cannot be parsed is dropped with the draft`() throws {
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
