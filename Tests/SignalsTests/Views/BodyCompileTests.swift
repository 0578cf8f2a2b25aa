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

  @Test func `what SwiftUI calls a list is refused with what to write`() throws {
    let row = "final class Book: Object { @Field var title = \"\" }"
    for body in ["List(books) { Text($0.title) }", "List { Text(\"a\") }", "books"] {
      try Compiler.expectFails(
        """
        \(row)
        func body(_ books: List<Book>) {
          @ElementBuilder func build() -> Element { \(body) }
          _ = build()
        }
        """, "ListBox")
    }
  }
}
