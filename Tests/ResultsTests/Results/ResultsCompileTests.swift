import TestSupport
import Testing

/// What the compiler says about calls that other libraries have.
@Suite struct `Results, what the compiler refuses` {
  private let models = """
    final class Book: Object {
      @PrimaryKey var key = 0
      @Field var title = ""
      @Field var pages = 0
      @Links var parts: List<Book>
    }

    """

  @Test(arguments: [
    ("_ = books.min(\\.pages)", "write `value(.min(path))`, which is live"),
    ("_ = books.max(\\.pages)", "write `value(.max(path))`, which is live"),
    ("_ = books.sum(\\.pages)", "write `value(.sum(path))`, which is live"),
    ("_ = books.average(\\.pages)", "write `value(.average(path))`, which is live"),
    ("_ = books.prefix(3).where { $0.pages > 3 }", "write `limit(count)` for `prefix(count)`"),
    ("_ = books.prefix(3).sorted(by: \\.title)", "write `limit(count)` for `prefix(count)`"),
    ("$parts.remove(atOffsets: [0])", "offsets are those of the list on screen: give it, `in:`"),
    (
      "$parts.move(fromOffsets: [0], toOffset: 1)",
      "offsets are those of the list on screen: give it, `in:`"
    ),
    ("try host.perform(\"save\", .tap)", "write `with:` before the input"),
    ("check.require(true, \\Book.pages, \"?\")", "write `at:` before the key path"),
  ])
  func `a call of another library, or of an earlier version, is refused with the present one`(
    call: String, message: String
  ) throws {
    try Compiler.expectFails(
      models + """
        func run(
          _ books: Results<Book>, _ parts: Binding<List<Book>>, _ host: ViewHost,
          _ check: inout Validation
        ) throws {
          \(call.replacing("$parts", with: "parts"))
        }
        """, message)
  }

  @Test func `sections are sorted by sort keys`() throws {
    try Compiler.expectFails(
      models + """
        struct Shelves: View {
          @ObservedSections(Book.self, by: \\.title, sortedBy: \\.pages) var sections
          var body: Element { Text("x") }
        }
        """, "write `sortedBy: .ascending(path)` or `.descending(path)`")
  }

  @Test func `comparisons can be given wherever key paths can`() throws {
    try Compiler.expectCompiles(
      models + """
        struct Shelves: View {
          @ObservedResults(Book.self, sortedBy: .ascending(\\.title) { $0.count < $1.count }) var books
          @ObservedSections(
            Book.self, by: \\.title, using: { $0.count < $1.count },
            sortedBy: .descending(\\.title, using: <), .ascending(\\.pages))
          var sections
          @ObservedSections(Book.self, by: { book in
            let title = book.title
            return title.isEmpty ? "none" : title
          }, sortedBy: .ascending(\\.pages)) var named
          var body: Element {
            ForEach(sections) { section in Text(section.key) }
            ForEach(named) { section in Text(section.key) }
          }
        }
        """)
  }
}
