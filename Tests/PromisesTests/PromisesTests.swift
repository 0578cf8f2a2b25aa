import Signals
import SignalsTesting
import TestSupport
import Testing

/// The promises of the design, each under its own name, end to end.
@Suite struct `The promises` {
  final class Author: Object {
    @Field var name = ""
  }

  final class Novel: Object {
    @PrimaryKey var number = 0
    @Field var title = ""
    @Field var pages = 100
    @Link var author: Author?
    @Inverse(\Reader.shelf) var readers
  }

  final class NovelLine: Projection<Novel> {
    @Projected(\Novel.title) var title: String
    @Projected(\Novel.author?.name) var author: String?
  }

  final class Reader: Object {
    @Links var shelf: List<Novel>
    @Link var favorite: Novel?
  }

  struct NovelRow: View {
    @ObservedObject var novel: Novel

    var body: Element {
      Text("\(novel.title) \(novel.pages)")
    }
  }

  struct Shelf: View {
    @ObservedResults(Novel.self, sortedBy: \.title) var novels

    var body: Element {
      Text("\(novels.count) novels")
      ForEach(novels) { NovelRow(novel: $0) }
      Button("Remove the first", id: "remove") { try $novels.remove(atOffsets: [0]) }
    }
  }

  struct Stop: Error {}

  let store = Store()
  let reader = Reader()
  let novels: [Novel]

  init() throws {
    novels = ["Count Zero", "Neuromancer", "Zodiac"].enumerated().map { number, title in
      let novel = Novel()
      novel.number = number
      novel.title = title
      return novel
    }
    try store.write(undoable: false) {
      try store.add(reader)
      reader.shelf.append(contentsOf: novels)
      reader.favorite = novels[0]
    }
  }

  @Test func `no tearing`() throws {
    struct Sums: View {
      let novels: [Novel]
      let total: Computed<Int>
      let see: (String) -> Void

      var body: Element {
        let _ = see("view \(novels[0].pages + novels[1].pages) \(total.value)")
        Text("sums")
      }
    }
    let total = Computed { novels.reduce(0) { $0 + $1.pages } }
    let more = Computed { total.value + novels[0].pages }
    var seen: Set<String> = []
    func see(_ who: String) {
      // A derived value beside its fresh sources, however it is reached.
      if more.value != total.value + novels[0].pages { seen.insert("\(who) is stale") }
      seen.insert("\(who) \(novels[0].pages + novels[1].pages) \(total.value)")
    }
    let line = NovelLine.shared(for: novels[0])
    let app = try TestHost(store) { Sums(novels: novels, total: total) { seen.insert($0) } }
    let tokens: [any Cancellable] = [
      Effect { see("effect") },
      store.results(Novel.self).where { $0.pages > 60 }.observe { _ in see("result") },
      novels[0].observe(\.pages) { _, _ in see("path") }, novels[0].observe { _ in see("object") },
      line.observe { _ in see("projection") }, store.commits.sink { _ in see("commits") },
    ]
    for step in [50, -20, 30] {
      try store.write {
        novels[0].pages -= step
        novels[0].title += "!"
        try store.write { novels[1].pages += step }
      }
    }
    let everybody = ["effect", "result", "path", "object", "projection", "commits", "view"]
    #expect(seen == Set(everybody.map { "\($0) 200 300" }))
    #expect(app.bodies > 1)
    for token in tokens { token.cancel() }
  }

  @Test func `once`() throws {
    var runs = (computed: 0, effect: 0)
    let sum = Computed {
      runs.computed += 1
      return novels[0].pages + novels[1].pages
    }
    let effect = Effect {
      runs.effect += 1
      _ = sum.value + novels[2].pages
    }
    let app = try TestHost(store) { Shelf() }
    let bodies = app.bodies
    try store.write { for novel in novels { novel.pages += 1 } }
    #expect(runs == (2, 2))
    #expect(app.bodies - bodies == 3)
    try store.write {
      for novel in novels { novel.pages += 1 }
      for novel in novels { novel.pages -= 1 }
    }
    novels[0].pages = novels[0].pages
    batch {
      novels[0].pages += 1
      novels[0].pages -= 1
    }
    // A sum that stays the same stops there.
    try store.write {
      novels[0].pages += 1
      novels[1].pages -= 1
    }
    #expect(runs == (3, 2))
    runs.computed = 2
    try store.write {
      novels[0].pages -= 1
      novels[1].pages += 1
    }
    #expect(runs == (3, 2))
    // Two rows have changed twice, each to something else.
    #expect(app.bodies - bodies == 7)
    effect.cancel()
  }

  @Test func `exactly what was read`() throws {
    struct Line: View {
      let number: Int
      let novel: Novel
      let read: (String) -> Void

      var body: Element {
        let _ = read("line")
        Text("\(number) \(novel.title)")
      }
    }
    struct Screen: View {
      let reader: Reader
      let novels: [Novel]
      let choice: Signal<Int>
      let all: Results<Novel>
      let read: (String) -> Void

      var body: Element {
        let _ = read("screen")
        switch choice.value {
        case 0: Text("\(novels[0].pages)")
        case 1: Text("\(reader.shelf.count)")
        case 2: Text("\(all.count)")
        default: Text("nothing")
        }
        Line(number: choice.value / 10, novel: novels[2], read: { _ in })
        TitleLine(novel: novels[2])
      }
    }
    struct TitleLine: View {
      @ObservedObject var novel: Novel

      var body: Element { Text(novel.title) }
    }
    let choice = Signal(0)
    var log: [String] = []
    let all = store.results(Novel.self).where { $0.pages < 1000 }
    let app = try TestHost(store) {
      Screen(reader: reader, novels: novels, choice: choice, all: all) { log.append($0) }
    }
    func runs(_ change: () throws -> Void) rethrows -> Int {
      log = []
      try change()
      return log.count
    }
    // A field, and neither another field, nor another object, nor a list, nor a result.
    #expect(runs { novels[0].pages = 7 } == 1)
    #expect(
      runs {
        novels[0].title = "x"
        novels[1].pages = 8
        reader.shelf.removeLast()
        novels[0].author = Author()
      } == 0)
    // Only what the *last* body read counts: now the signal and the list.
    #expect(runs { choice.value = 1 } == 1)
    #expect(runs { novels[0].pages = 9 } == 0)
    #expect(runs { reader.shelf.removeLast() } == 1)
    // The result: its members, and no field of them.
    #expect(runs { choice.value = 2 } == 1)
    #expect(runs { novels[0].pages = 10 } == 0)
    #expect(runs { novels[0].pages = 2000 } == 1)
    #expect(try runs { try store.delete(novels[1]) } == 1)
    // A view below whose inputs are the same is not run along, one with a closure is.
    let bodies = app.bodies
    choice.value = 3
    #expect(app.bodies == bodies + 2)
    novels[2].title = "y"
    #expect(app.bodies == bodies + 4 && app.text.contains("0 y"))
  }

  @Test func `deleting never crashes`() throws {
    let app = try TestHost(store) { Shelf() }
    let novel = novels[0]
    let results = store.results(Novel.self).sorted(by: \.title)
    let line = NovelLine.shared(for: novel)
    novel.author = Author()
    var wasDeleted: [Bool] = []
    let effect = Effect { wasDeleted.append(novel.isDeleted) }
    // Whoever is told of the commit sees all of it.
    var atCommit: [Int] = []
    let token = store.commits.sink { _ in
      atCommit = [results.count, reader.shelf.count, reader.favorite == nil ? 0 : 1]
    }
    try store.delete(novel)
    #expect(atCommit == [2, 2, 0] && !results.contains(novel))
    #expect(novel.title == "Count Zero" && novel.pages == 100 && novel.number == 0)
    #expect(novel.readers.isEmpty && novel.author == nil && novel.store == nil)
    #expect(line.title == "Count Zero" && line.isDeleted)
    #expect(reader.favorite == nil && Array(reader.shelf) == Array(novels.dropFirst()))
    #expect(!app.text.contains("Count Zero"))
    atCommit = []
    novel.title = "local"
    #expect(atCommit.isEmpty && novel.title == "local" && results.count == 2)
    try store.undo()
    #expect(novel.title == "Count Zero" && novel.author != nil)
    #expect(reader.favorite === novel && Array(reader.shelf) == novels)
    #expect(results[0] === novel && app.text.contains("Count Zero"))
    #expect(wasDeleted == [false, true, false])
    // Nor does the end of the store, or of what an object linked to.
    var gone: Novel?
    do {
      let store = Store()
      let (novel, reader) = (Novel(), Reader())
      novel.title = "last"
      reader.shelf = [novel]
      try store.add(reader)
      gone = reader.shelf[0]
    }
    #expect(gone?.title == "last" && gone?.isDeleted == true && gone?.readers.isEmpty == true)
    effect.cancel()
    token.cancel()
  }

  @Test func `stable identity`() throws {
    let results = store.results(Novel.self).sorted(by: \.title)
    let first = results[0]
    #expect(first === novels[0])
    first.title = "A new title"
    #expect(results[0] === first)
    #expect(store.object(Novel.self, primaryKey: 0) === first)
    #expect(Set([first, results[0], reader.shelf[0]]).count == 1)
    novels[1].author = Author()
    let author = try #require(novels[1].author)
    novels[2].author = author
    #expect(novels[2].author === author && reader.shelf[0].readers[0] === reader)
    // In every render, and when it comes back.
    var rendered: [ObjectIdentifier] = []
    let app = try TestHost(store) {
      ForEach(results) { novel in
        let _ = rendered.append(ObjectIdentifier(novel))
        Text(novel.title)
      }
    }
    novels[0].title = "Another title"
    try store.delete(first)
    try store.undo()
    #expect(app.text.contains("Another title") && results[0] === first)
    #expect(Set(rendered) == Set(novels.map(ObjectIdentifier.init)))
    // Equality is identity, whatever the values.
    let twin = Novel()
    twin.title = first.title
    #expect(twin != first && Set([twin, first]).count == 2)
  }

  @Test func `all or nothing`() throws {
    let results = store.results(Novel.self).where { $0.pages > 100 }
    let app = try TestHost(store) { Shelf() }
    let (frames, text, before) = (app.frames, app.text, store.snapshot())
    var notified = 0
    let tokens: [any Cancellable] = [
      results.observe { _ in notified += 1 }, novels[1].observe { _ in notified += 1 },
      NovelLine.shared(for: novels[1]).observe { _ in notified += 1 },
      Effect {
        _ = (results.count, reader.shelf.count, novels[1].pages)
        notified += 1
      }, store.commits.sink { _ in notified += 1 },
    ]
    notified = 0
    let new = Novel()
    new.number = 9
    func fail() throws {
      novels[1].pages = 500
      reader.shelf.removeAll()
      try store.delete(novels[2])
      try store.add(new)
      _ = (results.count, novels[0].readers.count)
    }
    #expect(throws: Stop.self) {
      try store.write {
        try fail()
        throw Stop()
      }
    }
    // So it is if it is refused at the end.
    let rule = store.beforeCommit { _ in throw Stop() }
    #expect(throws: Stop.self) { try store.write { try fail() } }
    rule.cancel()
    #expect(notified == 0 && app.frames == frames && app.text == text && !store.canUndo)
    #expect(results.isEmpty && Array(reader.shelf) == novels && !novels[2].isDeleted)
    #expect(store.object(Novel.self, primaryKey: 9) == nil && new.store == nil)
    #expect(store.object(Novel.self, primaryKey: 2) === novels[2])
    #expect(store.snapshot() == before && store.brokenInvariants() == [])
    try store.write {
      novels[0].pages = 1
      #expect(throws: Stop.self) {
        try store.write {
          novels[0].pages = 2
          throw Stop()
        }
      }
      #expect(novels[0].pages == 1)
    }
    #expect(novels[0].pages == 1)
    for token in tokens { token.cancel() }
  }
}
