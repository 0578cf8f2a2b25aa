import Signals
import TestSupport
import Testing

/// A value whose description does something.
private struct Meddler: Codable, Equatable, CustomStringConvertible {
  // One test alone sets it and makes such values.
  nonisolated(unsafe) static var onDescription: () -> Void = {}

  var number = 0
  var description: String {
    unsafe Meddler.onDescription()
    return "a meddler"
  }
}

private final class MeddlingCrate: Object {
  @Field var meddler = Meddler()
  @Field var title = ""
}

@Suite struct DependencyGraphTests {
  final class Book: Object {
    @Field var title = ""
    @Field var pages = 0
    @Link var sequel: Book?
    @Inverse(\Book.sequel) var prequels
  }

  @Test func `says who depends on whom, with kinds, names and values`() {
    let price = Signal(10, name: "price")
    let amount = Signal(3, name: "amount")
    let total = Computed(name: "total") { price.value * amount.value }
    let shown = Effect(name: "shown") { _ = total.value }
    let graph = DependencyGraph(around: total)
    #expect(
      graph.description == """
        computed 'total' = 30
          reads: signal 'price', signal 'amount'
          read by: effect 'shown'
        signal 'price' = 10
          read by: computed 'total'
        signal 'amount' = 3
          read by: computed 'total'
        effect 'shown'
          reads: computed 'total'
        """)
    #expect(graph.vertices.map(\.kind) == [.computed, .signal, .signal, .effect])
    #expect(graph.vertices.map(\.distance) == [0, 1, 1, 1])
    #expect(graph.edges.map { [$0.dependency, $0.reader] } == [[1, 0], [2, 0], [0, 3]])
    #expect(DependencyGraph(around: total).description == graph.description)
    shown.cancel()
    #expect(DependencyGraph(around: shown).vertices.isEmpty)
    #expect(DependencyGraph(around: shown).description == "")
  }

  @Test func `evaluates nothing, and depends on nothing`() {
    let a = Signal(1, name: "a")
    var runs = 0
    let double = Computed(name: "double") { () -> Int in
      runs += 1
      return a.value * 2
    }
    #expect(DependencyGraph(around: double).description == "computed 'double' (not evaluated)")
    _ = double.value
    a.value = 2
    #expect(
      DependencyGraph(around: double).description == """
        computed 'double' = 2 (stale)
          reads: signal 'a'
        signal 'a' = 2
          read by: computed 'double'
        """)
    #expect(runs == 1)
    var looks = 0
    let effect = Effect {
      _ = DependencyGraph(around: double).dot
      looks += 1
    }
    _ = double.value
    a.value = 3
    #expect(looks == 1)
    effect.cancel()
    #expect(ReactiveGraph.checkInvariants([a, double]) == [])
  }

  @Test func `a description that releases what was read disturbs no walk`() {
    let crate = MeddlingCrate()
    let reader = Effect { _ = crate.meddler }
    var other: Effect? = Effect { _ = crate.title }
    unsafe Meddler.onDescription = { other = nil }
    defer { unsafe Meddler.onDescription = {} }
    let graph = DependencyGraph(around: crate)
    #expect(other == nil && graph.vertices.map(\.kind) == [.property, .property, .effect])
    #expect(crate.propertyNodeCount == 1)
    reader.cancel()
  }

  @Test func `goes so far and no further, and counts what is beyond`() {
    let source = Signal(0, name: "source")
    var chain = [Computed(name: "0") { source.value }]
    for index in 1..<6 {
      let previous = chain[index - 1]
      chain.append(Computed(name: "\(index)") { previous.value })
    }
    _ = chain[5].value
    #expect(
      DependencyGraph(around: chain[3], depth: 1).description == """
        computed '3' = 0
          reads: computed '2'
          read by: computed '4'
        computed '2' = 0
          reads: 1 not shown
          read by: computed '3'
        computed '4' = 0
          reads: computed '3'
          read by: 1 not shown
        """)
    #expect(DependencyGraph(around: chain[3], depth: 0).vertices.count == 1)
    #expect(DependencyGraph(around: source, depth: .max).vertices.count == 7)
    let fan = (0..<100).map { index in Effect(name: "\(index)") { _ = source.value } }
    let graph = DependencyGraph(around: source, limit: 11)
    #expect(graph.vertices.count == 11)
    #expect(graph.vertices[0].hiddenReaders == 91)
    fan.forEach { $0.cancel() }
  }

  @Test func `names that repeat are numbered, and long values cut`() {
    let texts = [Signal("one\ntwo", name: "text"), Signal("\"", name: "text")]
    let long = Signal(Array(repeating: 7, count: 100), name: "long")
    let missing = Signal(String?.none, name: "missing")
    let all = Computed(name: "all") {
      texts.map(\.value).joined() + "\(long.value.count)" + (missing.value ?? "")
    }
    _ = all.value
    let graph = DependencyGraph(around: all)
    #expect(
      graph.vertices.dropFirst().map(\.name) == [
        "signal 'text'", "signal 'text' (2)", "signal 'long'", "signal 'missing'",
      ])
    #expect(graph.vertices[1].value == #""one\ntwo""#)
    #expect(graph.vertices[2].value == #""\"""#)
    #expect(graph.vertices[3].value == "[" + String(repeating: "7, ", count: 26) + "7…")
    #expect(graph.vertices[4].value == "nil")
  }

  @Test func `shows properties, results and bodies by their names`() throws {
    let store = Store()
    let book = Book()
    let other = Book()
    try store.write {
      (book.title, book.pages, other.pages) = ("Emma", 400, 100)
      try store.add(book)
      try store.add(other)
      book.sequel = other
    }
    let minimum = Signal(300, name: "minimum")
    let long = store.results(Book.self).where { $0.pages >= minimum.value }
    let screen = ViewHost(store, renderer: TextRenderer()) {
      Shelf(long: long, book: book)
    }
    let (id, otherID) = (book.objectID, other.objectID)
    #expect(
      DependencyGraph(around: book).description == """
        Book.title of \(id) = "Emma"
          read by: the body of Shelf
        Book(title: "Emma").sequel = Book of \(otherID)
          read by: the body of Shelf
        Book(title: "Emma").isDeleted = false
          read by: the body of Shelf
        the body of Shelf
          reads: the results of Book, Book.title of \(id), Book(title: "Emma").sequel, \
        Book.prequels of \(otherID), Book(title: "Emma").isDeleted
        the results of Book = 1 row
          reads: signal 'minimum'
          read by: the body of Shelf
        Book.prequels of \(otherID)
          read by: the body of Shelf
        signal 'minimum' = 300
          read by: the results of Book
        """)
    #expect(
      DependencyGraph(around: minimum).description == """
        signal 'minimum' = 300
          read by: the results of Book
        the results of Book = 1 row
          reads: signal 'minimum'
          read by: the body of Shelf
        the body of Shelf
          reads: the results of Book, Book.title of \(id), Book(title: "Emma").sequel, \
        Book.prequels of \(otherID), Book(title: "Emma").isDeleted
        Book.title of \(id) = "Emma"
          read by: the body of Shelf
        Book(title: "Emma").sequel = Book of \(otherID)
          read by: the body of Shelf
        Book.prequels of \(otherID)
          read by: the body of Shelf
        Book(title: "Emma").isDeleted = false
          read by: the body of Shelf
        """)
    let near = DependencyGraph(around: long, depth: 1)
    #expect(near.vertices.map(\.kind) == [.results, .signal, .view])
    #expect(
      DependencyGraph(around: screen, depth: 0).vertices.map(\.name) == [
        "the root of a host", "the body of Shelf",
      ])
  }

  struct Shelf: View {
    let long: Results<Book>
    @ObservedObject var book: Book

    var body: Element {
      Text("\(long.count) \(book.title) \(book.sequel?.prequels.count ?? 0) \(book.isDeleted)")
    }
  }

  @Test func `shows one vertex for a result, however many rows it has`() throws {
    let store = Store()
    for pages in 0..<200 {
      let book = Book()
      book.pages = pages
      try store.add(book)
    }
    let minimum = Signal(100, name: "minimum")
    let long = store.results(Book.self).where { $0.pages >= minimum.value }
    #expect(DependencyGraph(around: long).description == "the results of Book")
    #expect(long.count == 100)
    minimum.value = 150
    #expect(
      DependencyGraph(around: minimum).description == """
        signal 'minimum' = 150
          read by: the results of Book
        the results of Book (stale)
          reads: signal 'minimum'
        """)
    #expect(long.count == 50)
  }
}

@Suite struct DotTests {
  @Test func `is a graph that parses, with labels escaped`() throws {
    let odd = Signal(
      "a \"quoted\" \\N \n line & <b> é 日本 🎈 \u{0} \t end", name: "na\"me\n\\l&amp;")
    let all = Computed(name: "all") { odd.value.count }
    let effects = (0..<3).map { index in
      Effect(name: "\(index)") { _ = all.value + odd.value.count }
    }
    let graph = DependencyGraph(around: all)
    let dot = try Dot(graph.dot)
    #expect(dot.edges.sorted() == ["n0 n2", "n0 n3", "n0 n4", "n1 n0", "n1 n2", "n1 n3", "n1 n4"])
    #expect(dot.labels["n0"] == "computed 'all'\n41")
    let label = try #require(dot.labels["n1"])
    #expect(label.hasPrefix("signal 'na\"me\n\\l&amp;'\n"))
    #expect(label.contains(#""a \"quoted\" \\N \n line & <b> é 日本 🎈 \0 \t end""#))
    let near = try Dot(DependencyGraph(around: odd, depth: 1, limit: 2).dot)
    #expect(near.labels["r0"] == "3 more")
    #expect(near.edges.contains("n0 r0"))
    effects.forEach { $0.cancel() }
    _ = try Dot(DependencyGraph(around: effects[0]).dot)
  }
}

/// Reads as much of the language of Graphviz as is written here: statements of nodes and edges with
/// quoted or plain attributes.
struct Dot {
  struct Problem: Error { let text: String }

  var labels: [String: String] = [:]
  var edges: [String] = []

  init(_ text: String) throws {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lines.first == "digraph dependencies {", lines.suffix(2) == ["}", ""] else {
      throw Problem(text: text)
    }
    lines = lines.dropFirst().dropLast(2).map { String($0.dropFirst(2)) }
    for line in lines {
      guard line.hasSuffix(";") else { throw Problem(text: line) }
      if line == "rankdir=LR;" || line.hasPrefix("node [") { continue }
      let head = line.prefix { $0 != "[" && $0 != ";" }.split(separator: " ")
      let attributes = try Self.attributes(line)
      switch head.count {
      case 1: labels[String(head[0])] = try attributes["label"].map(Self.shown)
      case 3 where head[1] == "->": edges.append("\(head[0]) \(head[2])")
      default: throw Problem(text: line)
      }
    }
    for end in edges.flatMap({ $0.split(separator: " ").map(String.init) })
    where labels[end] == nil {
      throw Problem(text: "no node \(end)")
    }
  }

  /// The attributes between the brackets: words, or quoted strings in which `\"` is a quote.
  private static func attributes(_ line: String) throws -> [String: String] {
    guard let open = line.firstIndex(of: "[") else { return [:] }
    var rest = line[line.index(after: open)...]
    var attributes: [String: String] = [:]
    while let equals = rest.firstIndex(of: "=") {
      let name = String(rest[..<equals])
      rest = rest[rest.index(after: equals)...]
      var value = ""
      if rest.first == "\"" {
        rest = rest.dropFirst()
        while let character = rest.first, character != "\"" {
          if character == "\n" { throw Problem(text: line) }
          value.append(character)
          rest = rest.dropFirst()
          if character == "\\", let next = rest.first {
            value.append(next)
            rest = rest.dropFirst()
          }
        }
        guard rest.first == "\"" else { throw Problem(text: line) }
        rest = rest.dropFirst()
      } else {
        value = String(rest.prefix { $0.isLetter || $0.isNumber })
        rest = rest.dropFirst(value.count)
      }
      attributes[name] = value
      if rest.hasPrefix(", ") { rest = rest.dropFirst(2) }
    }
    guard rest == "];" else { throw Problem(text: line) }
    return attributes
  }

  /// What Graphviz shows for a label.
  private static func shown(_ label: String) throws -> String {
    var shown = ""
    var rest = label[...]
    while let character = rest.first {
      rest = rest.dropFirst()
      if character == "\\" {
        guard let next = rest.first, "\"\\n".contains(next) else { throw Problem(text: label) }
        shown.append(next == "n" ? "\n" : next)
        rest = rest.dropFirst()
      } else if character == "&" {
        guard rest.hasPrefix("amp;") else { throw Problem(text: label) }
        shown.append("&")
        rest = rest.dropFirst(4)
      } else {
        shown.append(character)
      }
    }
    return shown
  }
}
