import TestSupport
import Testing

/// What must not compile: writing what can't be written, and key paths of other roots.
@Suite struct `Projections, what the compiler refuses` {
  private let models = """
    final class Writer: Object { @Field var name = "" }
    final class Novel: Object {
      @PrimaryKey var key = 0
      @Field var name = ""
      @Link var author: Writer?
      var label: String { name }
    }

    """

  @Test func `a program that follows the rules compiles`() throws {
    try Compiler.expectCompiles(
      models + """
        final class Row: Projection<Novel> {
          @ProjectedWritable(\\Novel.name) var name: String
          @Projected(\\Novel.author?.name) var author: String?
          @Projected(\\Novel.author) var writer: WriterRow?
        }
        final class WriterRow: Projection<Writer> { @Projected(\\Writer.name) var name: String }
        func run(_ row: Row) {
          row.name = "x"
          row.bindings.name.wrappedValue = "y"
          _ = row.observe { print($0.old(\\.author) ?? "", $0.new(\\.writer)?.name ?? "") }
        }
        """)
  }

  @Test func `a read-only property is not written`() throws {
    try Compiler.expectFails(
      models + """
        final class Row: Projection<Novel> { @Projected(\\Novel.name) var name: String }
        func run(_ row: Row) { row.name = "x" }
        """, "cannot assign to property: 'name' is a get-only property")
  }

  @Test(arguments: ["author?.name", "label", "key.description"])
  func `a path that can't be written makes no writable property`(path: String) throws {
    let type = path.contains("?") ? "String?" : "String"
    try Compiler.expectFails(
      models + """
        final class Row: Projection<Novel> { @ProjectedWritable(\\Novel.\(path)) var name: \(type) }
        """, "this key path can't be written: show it with @Projected")
  }

  @Test func `there is no binding to a read-only property`() throws {
    try Compiler.expectFails(
      models + """
        final class Row: Projection<Novel> { @Projected(\\Novel.name) var name: String }
        func run(_ row: Row) { row.bindings.name.wrappedValue = "x" }
        """, "error: ")
  }

  @Test func `the path of another root is not accepted`() throws {
    try Compiler.expectFails(
      models + """
        final class Row: Projection<Novel> { @Projected(\\Writer.name) var name: String }
        func run(_ row: Row) { print(row.name) }
        """, "error: ")
  }

  @Test func `only projections have projected properties`() throws {
    try Compiler.expectFails(
      models + """
        struct Row { @Projected(\\Novel.name) var name: String }
        """, "@Projected is for properties of Projection subclasses")
  }

  @Test func `results are projected to rows of their own objects`() throws {
    try Compiler.expectFails(
      models + """
        final class Row: Projection<Writer> { @Projected(\\Writer.name) var name: String }
        func run(_ store: Store) { _ = store.results(Novel.self).projected(to: Row.self) }
        """, "Writer")
  }

  @Test func `a projection does not leave its domain`() throws {
    try Compiler.expectFails(
      models + """
        final class Row: Projection<Novel> { @Projected(\\Novel.name) var name: String }
        @MainActor final class Model {
          let row = Row(Novel())
          func run() { let row = row; Task.detached { print(row.name) } }
        }
        """, "risks causing data races")
  }
}
