import TestSupport
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

  @Test(arguments: [
    ("VStack { Text(\"a\") }", "Column { … }"), ("HStack { Text(\"a\") }", "Row { … }"),
    ("ZStack { Text(\"a\") }", ".covered(when: isShown) { … }"),
    ("ScrollView { Text(\"a\") }", "ScrollBox { … }"),
    ("Text(\"a\").onTapGesture { print(1) }", "what is tapped is a Button"),
  ])
  func `what SwiftUI calls otherwise is refused with what to write`(
    _ body: String, _ hint: String
  ) throws {
    try Compiler.expectFails(view(body), hint)
  }

  @Test(arguments: ["items.value(.sum(\\.title))", "all.value(.sum(\\.title))"])
  func `a sum of texts is refused with what to write`(_ sum: String) throws {
    try Compiler.expectFails(
      """
      final class Item: Object { @Field var title = "" }
      struct Screen: View {
        @ObservedResults(Item.self) var items
        let all: List<Item>
        var body: Element { Text("\\(\(sum))") }
      }
      """, "a sum is of numbers: join texts")
  }

  @Test func `an async method that leaves its caller's actor is refused, others compile`() throws {
    func screen(_ method: String) -> String {
      """
      final class Model { \(method) func load() async throws {} }
      struct Screen: View {
        let model: Model
        var body: Element {
          let model = model
          Text("a").task { try await model.load() }
          Button("b") { try await model.load() }
        }
      }
      """
    }
    try Compiler.expectFails(screen(""), "SendingRisksDataRace")
    try Compiler.expectCompiles(screen("nonisolated(nonsending)"))
  }
}
