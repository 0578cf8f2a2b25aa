import Foundation
import SignalsTesting
import TestSupport
import Testing

@testable import Signals

@Suite struct `Words of a text` {
  func words(_ text: String) -> [String] {
    var words: [String] = []
    SearchWords.forEach(in: text) { words.append($0) }
    return words
  }

  @Test(
    arguments: [
      ("", []), ("  ,.-", []), ("Hello, World", ["hello", "world"]), ("x", ["x"]),
      ("a1-b2_c3", ["a1", "b2", "c3"]), ("don't", ["don", "t"]), ("3.14", ["3", "14"]),
      ("Straße", ["strasse"]), ("STRASSE", ["strasse"]), ("Ångström", ["angstrom"]),
      ("A\u{30A}ngstro\u{308}m", ["angstrom"]), ("smørrebrød", ["smorrebrod"]),
      ("Łódź", ["lodz"]), ("Việt Nam", ["viet", "nam"]), ("İstanbul ısı", ["istanbul", "isi"]),
      ("Ελλάς ΕΛΛΑΣ", ["ελλασ", "ελλασ"]), ("Русский", ["русский"]),
      ("русски\u{438}\u{306}", ["русский"]), ("東京tower", ["東", "京", "tower"]),
      ("ひらがな", ["ひ", "ら", "が", "な"]), ("한국어", ["한국어"]), ("ﬁne", ["fine"]), ("½", ["½"]),
      ("か\u{3099}", ["が"]), ("ジョン・スミス", ["ジ", "ョ", "ン", "ス", "ミ", "ス"]),
      ("\u{627}\u{653}", ["\u{622}"]), ("\u{643}\u{650}", ["\u{643}"]),
      ("\u{5E9}\u{5C1}", ["\u{FB2A}"]),
      ("abc é", ["abc", "e"]), ("abcé", ["abce"]), ("a\u{0}b", ["a", "b"]), ("👍🏽 ok", ["ok"]),
    ] as [(String, [String])])
  func `are runs of letters and digits, without case and marks`(text: String, expected: [String]) {
    #expect(words(text) == expected)
  }

  @Test(
    arguments: [
      ("", []), ("*", []), ("wire rout*", ["wire", "rout*"]), ("wire *", ["wire"]),
      ("Wire-Rout*", ["wire", "rout*"]), ("a*b", ["a", "b"]), ("ROUT**", ["rout*"]),
    ] as [(String, [String])])
  func `are prefixes in a search if a star follows`(search: String, expected: [String]) {
    #expect(SearchTerm.terms(of: search).map { $0.word + ($0.isPrefix ? "*" : "") } == expected)
  }
}

/// Conditions that texts contain words.
@Suite struct `Matching words` {
  class Post: Object {
    @PrimaryKey var number = 0
    @Field var title = ""
    @Field var text = ""
    @Field var likes = 0
    @Link var next: Post?
    var heading: String { "\(number) \(title)" }
  }

  final class Notice: Post {
    @Field var source = ""
  }

  let store = Store()

  var all: Results<Post> { store.results(Post.self) }

  @discardableResult
  func add(_ titles: String...) throws -> [Post] {
    let posts = titles.map { title in
      let post = Post()
      (post.number, post.title) = (all.count + 1000, title)
      return post
    }
    try store.write {
      for post in posts {
        post.number = all.count
        try store.add(post)
      }
    }
    return posts
  }

  @Test func `finds all words, in any of the texts`() throws {
    let posts = try add("Wired router", "wire routing", "A wire", "routers")
    posts[2].text = "through ROUTES"
    #expect(Array(all.matching("wire rout*", in: \.title, \.text)) == [posts[1], posts[2]])
    #expect(Array(all.matching("wire rout*", in: \.title)) == [posts[1]])
    #expect(Array(all.matching("router", in: \.title)) == [posts[0]])
    #expect(Array(all.matching("router*", in: \.title)) == [posts[0], posts[3]])
    #expect(all.matching("wire missing", in: \.title).isEmpty)
    #expect(all.matching("", in: \.title).count == 4)
    #expect(all.matching(" * - ", in: \.title).count == 4)
  }

  @Test func `tests no other objects`() throws {
    for number in 0..<200 { try add("word\(number % 20) common") }
    var tested = 0
    let results = all.matching("word7", in: \.title).where { _ in
      tested += 1
      return true
    }
    #expect(results.count == 10)
    #expect(tested == 10)
    #expect(
      results.explain().contains(
        "found by an index, title matching word7: 10 of 200 objects, tested for 1 more"))
  }

  @Test func `compares characters in prefixes as in words`() throws {
    // The vowel sign is a part of the first character.
    let posts = try add("\u{9B8}\u{9BE}\u{9B2}", "\u{9B8}\u{9CE}", "\u{9B8}")
    let found = all.matching("\u{9B8}*", in: \.title)
    #expect(Array(found) == [posts[1], posts[2]])
    #expect(
      Array(found) == Array(all.where { _ in true }.matching("\u{9B8}*", in: \.title, \.heading)))
  }

  @Test func `enters no words if another condition finds few objects`() throws {
    for number in 0..<100 { try add("word\(number % 2)") }
    let results = all.where(\.number, equals: 3).matching("word1", in: \.title)
    #expect(results.count == 1)
    #expect(results.explain().contains("number = 3: 1 of 100 objects, tested for 1 more"))
  }

  @Test func `finds the objects of a class by words though those of a subclass are tested`() throws
  {
    for number in 0..<100 { try add("word\(number % 10)") }
    let notice = Notice()
    (notice.number, notice.title) = (1000, "word3")
    try store.add(notice)
    let results = all.matching("word3", in: \.title)
    #expect(results.count == 11)
    #expect(results.explain().contains("title matching word3: 11 of 101 objects"))
    notice.title = "word4"
    #expect(results.count == 10)
  }

  @Test func `doesn't enter a text that is being changed`() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let store = Store()
      let post = Post()
      post.title = "one"
      try store.add(post)
      func search(_ word: String) -> Results<Post> {
        store.results(Post.self).matching(word, in: \.title)
      }
      let kept = search("one")
      if kept.count != 1 { exit(0) }
      func edit(_ text: inout String, _ body: () -> Void) { body() }
      // It isn't found, so only the index would read its text.
      try store.write { edit(&post.title) { _ = search("other").count } }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("title"))
  }

  @Test func `is live`() throws {
    let posts = try add("one", "two", "one two")
    let results = all.matching("one", in: \.title).sorted(by: \.likes, order: .descending)
    var rows: [Post] = []
    let token = results.observe { $0.apply(to: &rows) }
    rows = Array(results)
    #expect(rows == [posts[0], posts[2]])
    posts[1].title = "One!"
    posts[2].likes = 5
    #expect(rows == [posts[2], posts[0], posts[1]])
    posts[0].title = "on"
    try store.delete(posts[2])
    #expect(rows == [posts[1]])
    try store.undo()
    #expect(rows == [posts[2], posts[1]])
    #expect(Array(all.matching("one", in: \.title).sorted(by: \.likes, order: .descending)) == rows)
    token.cancel()
  }

  @Test func `finds in a transaction what was written in it, and not what was rolled back`() throws
  {
    struct Stop: Error {}
    let posts = try add("one", "two")
    #expect(all.matching("one", in: \.title).count == 1)
    #expect(throws: Stop.self) {
      try store.write {
        posts[1].title = "one"
        try store.delete(posts[0])
        let new = Post()
        (new.number, new.title) = (7, "one")
        try store.add(new)
        #expect(Array(all.matching("one", in: \.title)) == [posts[1], new])
        throw Stop()
      }
    }
    #expect(Array(all.matching("one", in: \.title)) == [posts[0]])
    #expect(Array(all.matching("two", in: \.title)) == [posts[1]])
  }

  @Test func `meets subclasses, and classes that come later`() throws {
    let posts = try add("one")
    let results = all.matching("one", in: \.title)
    #expect(Array(results) == [posts[0]])
    let notice = Notice()
    (notice.number, notice.title, notice.source) = (100, "one", "press one")
    try store.add(notice)
    #expect(Array(results) == [posts[0], notice])
    #expect(Array(all.matching("one", in: \.title)) == [posts[0], notice])
    #expect(Array(store.results(Notice.self).matching("press", in: \.source)) == [notice])
    #expect(Array(store.results(Notice.self).matching("one", in: \.title)) == [notice])
  }

  @Test func `tests everything if a text is computed or read through a link`() throws {
    let posts = try add("one", "two")
    posts[1].next = posts[0]
    let computed = all.matching("1 two", in: \.heading)
    #expect(Array(computed) == [posts[1]])
    #expect(computed.explain().contains("tested: all of 2 objects"))
    posts[1].title = "three"
    #expect(computed.isEmpty)
    let linked = all.where { $0.next != nil }.matching("one", in: \.next!.title)
    #expect(Array(linked) == [posts[1]])
    posts[0].title = "1"
    #expect(linked.isEmpty)
  }

  @Test func `is left by an object whose text changes a thousand times`() throws {
    let posts = try add("w0", "other")
    let index = all.matching("other", in: \.title)
    for number in 0..<3000 {
      posts[0].title = "w\(number)"
      if number % 7 == 0 { #expect(all.matching("w\(number)", in: \.title).count == 1) }
    }
    #expect(all.matching("w*", in: \.title).count == 1)
    #expect(all.matching("w2998", in: \.title).isEmpty)
    #expect(index.count == 1)
  }

  @Test func `enters many changes, forgets unused words, and finds new prefixes`() throws {
    let posts = (0..<3000).map { number in
      let post = Post()
      (post.number, post.title) = (number, "first\(number)")
      return post
    }
    try store.write { try store.add(posts) }
    let kept = all.matching("none", in: \.title)
    #expect(kept.isEmpty)
    #expect(all.matching("first1*", in: \.title).count == 1111)
    try store.write(undoable: false) {
      for (number, post) in posts.enumerated() { post.title = "second\(number) both" }
    }
    #expect(all.matching("first1*", in: \.title).isEmpty)
    // The words of before are forgotten.
    let index = SharedQueries.textIndex(of: Post.self, at: [\Post.title], in: store)
    #expect(index.wordCount == 3001)
    #expect(all.matching("second1* BOTH", in: \.title).count == 1111)
    for (number, post) in posts.prefix(10).enumerated() { post.title = "secondary\(number)" }
    #expect(all.matching("secondary*", in: \.title).count == 10)
    #expect(all.matching("second*", in: \.title).count == 3000)
  }

  struct Search: View {
    @ObservedResults(Post.self, sortedBy: \.number) var posts
    @State private var text = ""

    var body: Element {
      TextField("search", text: $text)
      ForEach($posts.results(on: text) { $0.matching(text + "*", in: \.title) }) { post in
        Text(post.title)
      }
    }
  }

  @Test func `in a view keeps the index from key to key, and when the field is empty`() throws {
    try add("wire", "wired", "router")
    let host = try TestHost(store) { Search() }
    weak var index: AnyObject?
    do {
      let paths: [AnyKeyPath] = [\Post.title]
      index = SharedQueries.textIndex(of: Post.self, at: paths, in: store)
    }
    #expect(index != nil)
    #expect(host.text == "search: []\nwire\nwired\nrouter")
    for (text, rows) in [("w", "wire\nwired"), ("wired", "wired"), ("", "wire\nwired\nrouter")] {
      try host.type(text, into: "search")
      #expect(host.text == "search: [\(text)]\n\(rows)")
      #expect(index != nil)
    }
    let order = all.sorted(by: \.text)
    let sorted = all.matching("", in: \.title).sorted(by: \.text)
    #expect(sorted != order)
    try host.type("wired", into: "search")
    #expect(sorted.count == 3)
    #expect(sorted.explain().contains("tested: 3 rows of other results"))
  }

  @Test func `leaves nothing behind`() throws {
    let store = Store(undoLimit: 0)
    var post: Post? = Post()
    post?.title = "one"
    if let post { try store.add(post) }
    let results = store.results(Post.self).matching("one", in: \.title)
    #expect(results.count == 1)
    weak let last = post
    if let post { try store.delete(post) }
    post = nil
    #expect(last == nil)
    weak var released: Store?
    do {
      let other = Store()
      try other.add(Post())
      #expect(other.results(Post.self).matching("x", in: \.title).isEmpty)
      released = other
    }
    #expect(released == nil)
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func `agrees with looking at everything through any history`(seed: UInt64) throws {
    struct Stop: Error {}
    var random = SeededRandom(seed: seed)
    let words = ["wire", "Wired", "WIRES", "é", "e", "rout", "router", "東京", "x1", "ß", "ss"]
    func text() -> String {
      (0..<Int.random(in: 0..<5, using: &random)).map { _ in words.randomElement(using: &random)! }
        .joined(separator: [" ", ", ", "-"].randomElement(using: &random)!)
    }
    var posts = try add("wire", "router", "x1 x1", "", "ß", "é e")
    let searches = ["wire", "wire*", "e rout*", "ss", "京", "x* e", "wi* ro*", ""]
    func results(_ search: String) -> [Results<Post>] {
      [
        all.matching(search, in: \.title), all.matching(search, in: \.title, \.text),
        all.matching(search, in: \.text).where { $0.likes > 1 }.sorted(by: \.likes),
      ]
    }
    let live = searches.map(results)
    var mirror = Array(live[1][1])
    let token = live[1][1].observe { $0.apply(to: &mirror) }
    for step in 0..<runLength(usually: 120) {
      let fails = Int.random(in: 0..<6, using: &random) == 0
      try? store.write {
        for _ in 0..<Int.random(in: 1..<5, using: &random) {
          let post = posts[Int.random(in: 0..<posts.count, using: &random)]
          switch Int.random(in: 0..<8, using: &random) {
          case 0: if post.store != nil { try store.delete(post) }
          case 1: if post.store == nil { try store.add(post) }
          case 2: post.likes = Int.random(in: 0..<4, using: &random)
          case 3, 4: post.text = text()
          case 5: _ = results(searches.randomElement(using: &random) ?? "")[1].count
          default: post.title = text()
          }
        }
        if fails { throw Stop() }
      }
      if Int.random(in: 0..<5, using: &random) == 0 { _ = try? store.undo() }
      if Int.random(in: 0..<20, using: &random) == 0 {
        let notice = Notice()
        (notice.number, notice.title) = (1000 + step, text())
        try store.add(notice)
        posts.append(notice)
      }
      if Bool.random(using: &random) { continue }
      let stored = posts.filter { $0.store != nil }
      for (search, live) in zip(searches, live) {
        let terms = SearchTerm.terms(of: search)
        func has(_ texts: String...) -> Bool {
          var found: [String] = []
          for text in texts { SearchWords.forEach(in: text) { found.append($0) } }
          return terms.allSatisfy { term in found.contains { term.matches($0) } }
        }
        let expected = [
          stored.filter { has($0.title) }, stored.filter { has($0.title, $0.text) },
          stored.filter { has($0.text) && $0.likes > 1 },
        ].map(Set.init)
        let fresh = results(search)
        #expect(fresh.map(Set.init) == expected, "seed \(seed), step \(step), \(search)")
        #expect(
          live.map(Array.init) == fresh.map(Array.init), "seed \(seed), step \(step), \(search)")
      }
      #expect(mirror == Array(live[1][1]), "seed \(seed), step \(step)")
    }
    token.cancel()
  }
}
