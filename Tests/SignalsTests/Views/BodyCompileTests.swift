import Testing

/// What must not compile in a body, and what the compiler says then.
@Suite struct `Bodies, what the compiler refuses` {
  private func view(_ body: String) -> String {
    """
    final class Item: Object { @Field var title = "" }
    struct Screen: View {
      @ObservedObject var item: Item
      @State var count = 0
      var body: Element {
        \(body)
        Text(item.title)
      }
    }
    """
  }

  @Test func `a body that only says what is on screen compiles`() throws {
    try Compiler.expectCompiles(view("let _ = print(item.title)"))
  }

  @Test(arguments: ["item.title = \"x\"", "count += 1", "print(item.title)", "item.title"])
  func `a statement is refused, and told where it belongs`(statement: String) throws {
    try Compiler.expectFails(
      view(statement),
      "a body holds elements and views, such as Text(…), and does nothing: write in an intent")
  }

  @Test func `what scrolls is named to those who take the collection for it`() throws {
    try Compiler.expectFails(
      view("List { Text(item.title) }"),
      "a list on screen is a ListBox: ListBox { … }")
  }
}
