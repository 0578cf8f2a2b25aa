import Signals
import TestSupport
import Testing

/// Histories: steps, groups, coalescing, origins.
@Suite struct `Graph, undo histories` {
  let store = Store(undoLimit: 0)
  let page = Page()
  let shelf = makeShelf("s")

  init() throws { try store.add([page, shelf] as [Object]) }

  @Test func `an embedded object that an undo brings back without an owner goes again`() throws {
    let store = Store(undoLimit: 0), person = makePerson(1, city: "London")
    let history = UndoHistory(store, origins: ["mine"])
    try store.add(person)
    let old = try #require(person.home)
    try store.write(origin: "mine") { person.home = nil }
    #expect(old.isDeleted)
    let new = Address()
    try store.write(origin: "theirs") { person.home = new }
    #expect(try history.undo(onConflict: .theirs).conflicts.map(\.property?.name) == ["home"])
    #expect(person.home === new && old.isDeleted && store.results(Address.self).count == 1)
    #expect(store.brokenInvariants() == [])
  }

  @Test func `steps are undone and redone, and a new commit ends what can be redone`() throws {
    let history = UndoHistory(store)
    for number in 1...3 { page.number = number }
    try history.undo()
    try history.undo()
    #expect(page.number == 1 && history.canUndo && history.canRedo)
    try history.redo()
    #expect(page.number == 2)
    try history.redo()
    #expect(page.number == 3 && !history.canRedo)
    #expect(throws: StoreError.nothingToRedo) { try history.redo() }
    #expect(StoreError.nothingToRedo.description == "there is nothing to redo")
    try history.undo()
    page.text = "x"
    #expect(!history.canRedo)
    try history.undo()
    try history.undo()
    try history.undo()
    #expect(page.number == 0 && page.text == "" && !history.canUndo)
    #expect(throws: StoreError.nothingToUndo) { try history.undo() }
  }

  @Test func `a store redoes too`() throws {
    let store = Store()
    let page = Page()
    try store.add(page)
    page.number = 1
    try store.undo()
    #expect(store.canRedo)
    var origins: [Origin?] = []
    let token = store.commits.sink { origins.append($0.origin) }
    try store.redo()
    #expect(page.number == 1 && !store.canRedo && origins == [.redo])
    withExtendedLifetime(token) {}
  }

  @Test func `deletions are undone and redone with the same instances`() throws {
    let history = UndoHistory(store)
    let novel = makeNovel(1, "Emma")
    novel.cover = Page()
    let cover = novel.cover
    shelf.novels = [novel, novel]
    try store.delete(novel)
    for _ in 0..<2 {
      try history.undo()
      #expect(shelf.novels.map(\.key) == [1, 1] && shelf.novels.first === novel)
      #expect(novel.cover === cover && cover?.isDeleted == false)
      try history.redo()
      #expect(novel.isDeleted && cover?.isDeleted == true && shelf.novels.isEmpty)
    }
    #expect(store.brokenInvariants() == [])
  }

  @Test func `canUndo and canRedo are observed`() throws {
    let history = UndoHistory(store)
    var seen: [String] = []
    let effect = Effect { seen.append("\(history.canUndo) \(history.canRedo)") }
    page.number = 1
    page.number = 2
    try history.undo()
    try history.undo()
    page.number = 3
    history.removeAll()
    #expect(
      seen == [
        "false false", "true false", "true true", "false true", "true false", "false false",
      ])
    withExtendedLifetime(effect) {}
  }

  @Test func `a group is one step, nested or thrown out of`() throws {
    let history = UndoHistory(store)
    page.number = 1
    #expect(throws: Refusal.self) {
      try history.group {
        page.number = 2
        try history.group {
          page.text = "a"
          try store.delete(shelf)
        }
        page.number = 3
        throw Refusal()
      }
    }
    page.number = 4
    try history.undo()
    #expect(page.number == 3)
    try history.undo()
    #expect(page.number == 1 && page.text == "" && !shelf.isDeleted)
    try history.redo()
    #expect(page.number == 3 && page.text == "a" && shelf.isDeleted)
    try history.undo()
    try history.undo()
    #expect(page.number == 0 && !history.canUndo && store.brokenInvariants() == [])
  }

  @Test func `typing a word is one step`() throws {
    let history = UndoHistory(store, coalescing: .typing)
    for letter in "two words" { page.text.append(letter) }
    #expect(page.text == "two words")
    try history.undo()
    #expect(page.text == "two ")
    try history.undo()
    #expect(page.text == "")
    try history.redo()
    try history.redo()
    page.text.removeLast()
    page.text.removeLast()
    #expect(page.text == "two wor")
    try history.undo()
    #expect(page.text == "two words")
    page.text.append("!")
    page.number = 1
    page.number = 2
    try history.undo()
    #expect(page.number == 1 && page.text == "two words!")
  }

  @Test func `commits of the same properties are one step, of one origin`() throws {
    let history = UndoHistory(store, coalescing: .property)
    for number in 1...5 { page.number = number }
    try store.write(origin: "other") { page.number = 6 }
    page.text = "x"
    try history.undo()
    #expect(page.text == "" && page.number == 6)
    try history.undo()
    #expect(page.number == 5)
    try history.undo()
    #expect(page.number == 0 && !history.canUndo)
  }

  @Test func `a pause begins a new step`() throws {
    let clock = StepClock()
    let history = UndoHistory(store, coalescing: .property.within(.seconds(2), of: clock))
    for (number, second) in [(1, 0), (2, 1), (3, 2), (4, 9), (5, 10)] {
      clock.seconds = second
      page.number = number
    }
    try history.undo()
    #expect(page.number == 3)
    try history.undo()
    #expect(page.number == 0)
  }

  @Test func `commits of one key are one step, also in a write`() throws {
    let history = UndoHistory(store)
    history.coalescing("drag") { page.number = 1 }
    try store.write { history.coalescing("drag") { page.number = 2 } }
    history.coalescing("other") { page.number = 3 }
    history.coalescing("drag") { page.number = 4 }
    try history.undo()
    #expect(page.number == 3)
    try history.undo()
    #expect(page.number == 2)
    try history.undo()
    #expect(page.number == 0 && !history.canUndo)
  }

  @Test func `of chosen origins only, and what others wrote since stays`() throws {
    let (a, b, c) = (makeNovel(1), makeNovel(2), makeNovel(3))
    shelf.novels = [a]
    let history = UndoHistory(store, origins: ["me"])
    try store.write(origin: "me") {
      page.number = 1
      page.text = "mine"
      shelf.novels = [b]
    }
    try store.write(origin: "sync") {
      page.number = 7
      shelf.novels.append(c)
    }
    page.text = page.text + ""
    #expect(try history.undo(onConflict: .theirs).conflicts.map(\.property?.name) == ["number"])
    #expect(page.number == 7 && page.text == "")
    #expect(shelf.novels.map(\.key) == [1, 3])
    try history.redo()
    #expect(page.number == 7 && page.text == "mine")
    #expect(shelf.novels.map(\.key) == [2, 3])
    #expect(store.brokenInvariants() == [])
  }

  @Test func `a limited history forgets the oldest steps`() throws {
    let history = UndoHistory(store, limit: 3)
    for number in 1...10 { page.number = number }
    for _ in 0..<3 { try history.undo() }
    #expect(page.number == 7 && !history.canUndo)
    for _ in 0..<3 { try history.redo() }
    #expect(page.number == 10)
  }

  @Test func `an undo in a write that fails is put back, and a refused one too`() throws {
    let history = UndoHistory(store)
    page.number = 1
    #expect(throws: Refusal.self) {
      try store.write {
        try history.undo()
        throw Refusal()
      }
    }
    #expect(page.number == 1 && history.canUndo && !history.canRedo)
    try history.undo()
    let rule = store.beforeCommit { _ in throw Refusal() }
    #expect(throws: Refusal.self) { try history.redo() }
    rule.cancel()
    #expect(page.number == 0 && !history.canUndo && history.canRedo)
    #expect(throws: StoreError.undoAfterWrites) {
      try store.write {
        page.text = "x"
        try history.redo()
      }
    }
    #expect(history.canRedo && page.text == "")
  }

  @Test func `a history keeps what it may bring back, and no longer`() throws {
    weak var gone: Page?
    var history: UndoHistory? = UndoHistory(store)
    do {
      let page = Page()
      gone = page
      try store.add(page)
      try store.delete(page)
    }
    #expect(gone != nil)
    history = nil
    #expect(gone == nil && history == nil)
  }

  @Test func `a history outlives its store`() throws {
    var store: Store? = Store()
    let history = try UndoHistory(#require(store))
    try store?.add(Page())
    store = nil
    #expect(throws: StoreError.nothingToUndo) { try history.undo() }
    #expect(throws: StoreError.nothingToRedo) { try history.redo() }
  }
}

/// A clock that a test sets.
private final class StepClock: Clock, @unchecked Sendable {
  // One test on one thread uses it.
  var seconds = 0
  var now: ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }
  var minimumResolution: Duration { .zero }
  private let start = ContinuousClock.now

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {}
}
