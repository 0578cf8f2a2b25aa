import Signals
import TestSupport
import Testing

/// What a store's own `undo()` takes back as one step.
@Suite struct `Graph, a store that coalesces` {
  private func type(_ text: String, into novel: Novel) {
    for letter in text { novel.name.append(letter) }
  }

  @Test func `a typed word is one step, and its letters are commits`() throws {
    let store = Store(coalescing: .typing)
    let novel = try store.first(orAdd: makeNovel(1, ""))
    var commits = 0
    let token = store.commits.sink { _ in commits += 1 }
    type("oat milk", into: novel)
    #expect(commits == 8)
    try store.undo()
    #expect(novel.name == "oat ")
    try store.undo()
    #expect(novel.name == "" && !store.canUndo)
    try store.redo()
    #expect(novel.name == "oat ")
    withExtendedLifetime(token) {}
  }

  @Test func `it needs no observer`() throws {
    let store = Store(coalescing: .typing)
    let novel = try store.first(orAdd: makeNovel(1, ""))
    type("milk", into: novel)
    novel.pages = 7
    try store.undo()
    #expect((novel.name, novel.pages) == ("milk", 0))
    try store.undo()
    #expect(novel.name == "")
  }

  @Test func `a store made of a snapshot may, too`() throws {
    let first = Store()
    _ = try first.first(orAdd: makeNovel(1, ""))
    let store = Store(first.snapshot(), coalescing: .property)
    let novel = try #require(store.object(Novel.self, primaryKey: 1))
    type("oat milk", into: novel)
    try store.undo()
    #expect(novel.name == "" && !store.canUndo)
  }

  @Test func `histories beside it have their own steps`() throws {
    let store = Store(coalescing: .typing)
    let novel = try store.first(orAdd: makeNovel(1, ""))
    let history = UndoHistory(store)
    type("milk", into: novel)
    try history.undo()
    #expect(novel.name == "mil")
  }

  @Test func `without being asked to, each commit is a step`() throws {
    let store = Store()
    let novel = try store.first(orAdd: makeNovel(1, ""))
    type("milk", into: novel)
    try store.undo()
    #expect(novel.name == "mil")
  }

  @Test(arguments: [ConflictPolicy.fail, .theirs])
  func `a date that a rule has written between two letters of a word is no conflict`(
    policy: ConflictPolicy
  ) throws {
    let store = Store(coalescing: .typing)
    let novel = makeNovel(1, "")
    let other = makeNovel(2, "")
    try store.write(undoable: false) { try store.add([novel, other]) }
    var date = 0
    store.beforeCommit { _ in
      date += 1
      novel.pages = date
    }
    type("ab", into: novel)
    try store.write(undoable: false) { other.name = "x" }
    type("cd", into: novel)
    try store.write(undoable: false) { novel.pages = 50 }
    type("ef", into: novel)
    #expect(store.history.undoCount == 1)
    #expect(try store.undo(onConflict: policy).isClean)
    #expect(novel.name == "")
    try store.redo()
    #expect(novel.name == "abcdef")
  }

  /// The texts that undo goes back to, from the last of the given ones.
  private func undone(
    _ texts: [String], rule: ((ChangeSet) -> Void)? = nil
  ) throws -> [String] {
    let store = Store(coalescing: .typing)
    let novel = try store.first(orAdd: makeNovel(1, ""))
    if let rule { store.beforeCommit(rule) }
    for text in texts { novel.name = text }
    var undone: [String] = []
    while store.canUndo, novel.name != "" || undone.isEmpty {
      try store.undo()
      undone.append(novel.name)
    }
    return undone
  }

  struct Typed: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let texts: [String]
    let undone: [String]

    init(_ description: String, _ texts: [String], _ undone: [String]) {
      testDescription = description
      self.texts = texts
      self.undone = undone
    }
  }

  @Test(arguments: [
    Typed("a selection is replaced", ["h", "hi", "b", "by", "bye"], ["hi", ""]),
    Typed(
      "a selection is replaced by what it ends with", ["h", "hi", "i", "is"], ["i", "hi", ""]),
    Typed("a paste in a run", ["h", "hi", "hi you", "hi you!"], ["hi you", "hi", ""]),
    Typed("a paste over a selection", ["a", "ab", "xyz", "xyz1"], ["xyz", "ab", ""]),
    Typed("an edit at another place", ["b", "bc", "abc", "aabc"], ["bc", ""]),
    Typed("after the run, then before it", ["a", "ab", "abc", "xabc", "xyabc"], ["abc", ""]),
    Typed("in the middle of equal letters", ["l", "ll", "lll", "llll"], [""]),
    Typed(
      "equal letters that the cursor can't have reached", ["a", "ab", "aba", "aaba", "aabab"],
      ["aaba", "aba", ""]),
    Typed("backwards", ["a", "ab", "abc", "ab", "a"], ["abc", ""]),
    Typed("forwards", ["abcd", "bcd", "cd", "d"], ["abcd", ""]),
    Typed("deleting at two places", ["abcd", "abc", "bc"], ["abc", "abcd", ""]),
    Typed(
      "a selection is deleted in a run", ["abcdef", "abcde", "ab", "a"],
      ["ab", "abcde", "abcdef", ""]),
    Typed(
      "accents and families are characters", ["e", "e\u{301}", "e\u{301}👨‍👩‍👧‍👦", "e\u{301}👨‍👩‍👧‍👦x"], [""]),
    Typed("a family is deleted", ["x👨‍👩‍👧‍👦y", "x👨‍👩‍👧‍👦", "x"], ["x👨‍👩‍👧‍👦y", ""]),
    Typed("a line end", ["a", "a\r\n", "a\r\nb"], ["a\r\n", ""]),
  ])
  func `a run types or deletes one character after the other, at one place`(typed: Typed) throws {
    #expect(try undone(typed.texts) == typed.undone)
  }

  @Test func `what rules write belongs to the step, and doesn't end a run`() throws {
    let store = Store(coalescing: .typing)
    let novel = try store.first(orAdd: makeNovel(1, ""))
    var stamp = 0
    store.beforeCommit { changes in
      stamp += 1
      for change in changes.changes(of: Novel.self) { change.object?.pages = stamp }
    }
    type("oat milk", into: novel)
    #expect(novel.pages == 8 && store.history.undoCount == 2)
    try store.write(undoable: false) { novel.key = 1 }
    try store.undo()
    #expect(novel.name == "oat ")
    try store.undo()
    #expect(novel.name == "" && !store.canUndo)
  }

  @Test func `only commits that follow each other on the property are joined`() throws {
    let store = Store(coalescing: .typing)
    let novel = try store.first(orAdd: makeNovel(1, ""))
    novel.name = "a"
    try store.write(undoable: false) { novel.name = "aX" }
    novel.name = "aXb"
    novel.name = "aXbc"
    try store.undo()
    #expect(novel.name == "aX")
    #expect(throws: ChangeConflictError.self) { try store.undo() }
    try store.undo(onConflict: .theirs)
    #expect(novel.name == "aX" && !store.canUndo)
  }

  @Test func `a foreign commit to another property doesn't end a run`() throws {
    let store = Store(coalescing: .typing)
    let novel = try store.first(orAdd: makeNovel(1, ""))
    novel.name = "a"
    try store.write(undoable: false) { novel.pages = 9 }
    novel.name = "ab"
    try store.undo()
    #expect(novel.name == "" && novel.pages == 9 && !store.canUndo)
  }

  @Test func `commits of one key, or of one origin, are joined only without others' between`()
    throws
  {
    let store = Store()
    let novel = try store.first(orAdd: makeNovel(1, ""))
    let mine = UndoHistory(store, origins: ["mine"], coalescing: .property)
    func write(_ pages: Int, _ origin: Origin) throws {
      try store.write(origin: origin) { store.history.coalescing("slider") { novel.pages = pages } }
    }
    try write(1, "mine")
    try write(2, "other")
    try write(3, "mine")
    #expect(mine.undoCount == 2)
    try mine.undo()
    #expect(novel.pages == 2)
    #expect(throws: ChangeConflictError.self) { try mine.undo() }
  }
}
