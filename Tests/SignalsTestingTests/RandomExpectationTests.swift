import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

/// Whatever changes: what is told holds when it is pasted, and not with a line left out.
@Suite struct `Expectations, random` {
  final class Reader: Object {
    @PrimaryKey var id = UUID()
    @Field var tags: Set<String> = []
    @Field var name = ""
    @Link var friend: Reader?
    @Links var books: List<Book>
  }

  final class Book: Object {
    @PrimaryKey var title = ""
    @Field var marks: [String: Int] = [:]
    @Field var owner = UUID()
  }

  private struct Shelf: View {
    let readers: [Reader]
    @ObservedResults(Book.self, sortedBy: \.title) var books

    var body: Element {
      ForEach(readers) { reader in
        Row {
          Text(reader.name)
          Text("of \(reader.friend?.name ?? "nobody")", id: "friend-\(reader.id)")
          Button("Drop") {}.disabled(reader.books.isEmpty)
        }
      }
      ForEach(books) { book in
        Toggle(book.title, isOn: .constant(book.marks.isEmpty))
        for key in book.marks.keys.sorted() { Text(key) }
      }
    }
  }

  /// A screen on a graph that is the same for each seed, but for its keys.
  private func mount(_ seed: UInt64) throws -> TestHost {
    let store = Store()
    var random = SeededRandom(seed: seed)
    let readers = (0..<4).map { number in
      let reader = Reader()
      reader.name = ["", "a ", "b", "b"][number]
      return reader
    }
    try store.write(undoable: false) {
      for reader in readers { try store.add(reader) }
      for _ in 0..<20 { try step(store, readers, &random) }
    }
    return try TestHost(store) { Shelf(readers: readers) }
  }

  private func step(_ store: Store, _ readers: [Reader], _ random: inout SeededRandom) throws {
    let words = ["x", "y\n", " z", "\"", "\\"]
    let reader = readers[Int.random(in: 0..<4, using: &random)]
    let word = words[Int.random(in: 0..<5, using: &random)]
    let books = Array(store.results(Book.self).sorted(by: \.title))
    let book = books.randomElement(using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0: reader.name = word
    case 1: reader.tags.formSymmetricDifference([word, "more"])
    case 2: reader.friend = readers.randomElement(using: &random)
    case 3: reader.friend = nil
    case 4: if let book { reader.books.append(book) }
    case 5: if !reader.books.isEmpty { reader.books.remove(at: 0) }
    case 6: if reader.books.count > 1 { reader.books.reverse() }
    case 7: book?.marks = [word: 1, "one": 2, "two": 3]
    case 8: if let book { try store.delete(book) }
    default:
      let made = Book()
      made.title = "\(word)\(Int.random(in: 0..<1000, using: &random))"
      try store.add(made, onConflict: .theirs)
    }
  }

  @Test func `it holds as generated, and not with a line left out`() throws {
    var whole = 0
    for seed in 1...(25 as UInt64) {
      let check = { (expected: String) in
        let app = try mount(seed)
        var random = SeededRandom(seed: seed &+ 1000)
        return try issues {
          let readers = Array(app.host.store.results(Reader.self))
          try app.expectChanges(expected) {
            for _ in 0..<4 {
              try app.host.store.write { try step(app.host.store, readers, &random) }
            }
          }
        }
      }
      guard let message = try check("").first else { continue }
      let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
        .dropFirst(2).dropLast().map(String.init)
      #expect(try check(lines.joined(separator: "\n")) == [], "seed \(seed)")
      whole += 1
      for index in lines.indices where lines.count > 1 {
        var fewer = lines
        fewer.remove(at: index)
        #expect(
          try check(fewer.joined(separator: "\n")).count == 1,
          "seed \(seed) without \(lines[index])")
      }
    }
    #expect(whole > 15)
  }
}
