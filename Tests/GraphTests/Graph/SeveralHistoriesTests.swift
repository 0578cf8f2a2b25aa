import Signals
import Synchronization
import TestSupport
import Testing

/// Several histories of one store: what one undoes is a commit to the others.
@Suite struct `Graph, several histories of a store` {
  let store = Store()
  let mine: UndoHistory
  let shelf = makeShelf("s")
  let soup = StockedDish("soup", stock: 2)

  init() throws {
    mine = UndoHistory(store, origins: ["mine"])
    try store.write(undoable: false) { try store.add([shelf, soup] as [Object]) }
  }

  @Test func `an undo of one is undone by the others, like any commit`() throws {
    let (a, b) = (makeNovel(1, "a"), makeNovel(2, "b"))
    try store.write(origin: "mine") { shelf.novels.append(a) }
    try store.write { shelf.novels.append(b) }
    try mine.undo()
    #expect(shelf.novels.map(\.name) == ["b"] && a.isDeleted && store.history.undoCount == 3)
    try store.undo()
    #expect(shelf.novels.map(\.name) == ["a", "b"] && !a.isDeleted)
    try store.undo()
    #expect(shelf.novels.map(\.name) == ["a"])
    try store.undo()
    #expect(shelf.novels.isEmpty && !store.canUndo)
    for _ in 0..<3 { try store.redo() }
    #expect(shelf.novels.map(\.name) == ["b"] && !store.canRedo)
    #expect(store.brokenInvariants() == [])
  }

  @Test func `a sum that one has taken back isn't taken back twice`() throws {
    try store.write(origin: "mine") { soup.stock += 5 }
    soup.stock += 2
    try mine.undo()
    #expect(soup.stock == 4)
    var stocks: [Int] = []
    while store.canUndo {
      try store.undo()
      stocks.append(soup.stock)
    }
    #expect(stocks == [9, 7, 2])
  }

  @Test func `an undo and a redo of one end what another can redo`() throws {
    let other = UndoHistory(store)
    soup.stock = 3
    soup.stock = 4
    try other.undo()
    #expect(soup.stock == 3 && store.canUndo && !store.canRedo)
    try store.undo()
    #expect(soup.stock == 4 && store.canRedo && !other.canRedo)
    try other.undo()
    #expect(soup.stock == 3 && !store.canRedo && other.canRedo)
    try store.undo()
    #expect(soup.stock == 4 && store.canRedo && !other.canRedo)
    try store.redo()
    #expect(soup.stock == 3 && other.canUndo && !other.canRedo)
  }

  @Test func `to a history of chosen origins, an undo is a write of another`() throws {
    try store.write(origin: "mine") { soup.stock += 5 }
    try store.undo()
    #expect(soup.stock == 2 && mine.undoCount == 1)
    // Sums are merged with the writes of others.
    #expect(try mine.undo().isClean)
    #expect(soup.stock == -3)
    let undos = UndoHistory(store, origins: [.undo])
    try mine.redo()
    #expect(!undos.canUndo)
    try mine.undo()
    try undos.undo()
    #expect(soup.stock == 2)
  }

  @Test(arguments: [Coalescing.property, .typing])
  func `an undo joins no step of another history`(coalescing: Coalescing) throws {
    let store = Store(coalescing: coalescing), page = Page()
    let other = UndoHistory(store)
    try store.write(undoable: false) { try store.add(page) }
    page.text = "a"
    try other.undo()
    page.text = "b"
    #expect(store.history.undoCount == 3)
    var texts: [String] = []
    while store.canUndo {
      try store.undo()
      texts.append(page.text)
    }
    #expect(texts == ["", "a", ""])
    try store.history.coalescing("key") {
      page.number = 1
      try other.undo()
    }
    #expect(page.number == 0 && store.history.undoCount == 2)
  }

  @Test func `a commit says whether the store's history records it`() throws {
    let other = UndoHistory(store)
    var kinds: [StoreCommit.Kind] = []
    let token = store.observeCommits { kinds.append($0.kind) }
    soup.stock = 3
    try other.undo()
    try store.write(undoable: false) { _ = try other.redo() }
    try store.undo(onConflict: .mine)
    try store.redo()
    #expect(kinds == [.undoable, .undoable, .notUndoable, .undo, .redo])
    token.cancel()
  }

  @Test func `no write comes between two undos of a transaction`() throws {
    let page = Page()
    try store.write(undoable: false) { try store.add(page) }
    soup.stock = 3
    soup.stock = 4
    #expect(throws: StoreError.undoAfterWrites) {
      try store.write {
        try store.undo()
        page.number = 5
        try store.undo()
      }
    }
    #expect(soup.stock == 4 && page.number == 0 && store.history.undoCount == 2)
    try store.write {
      try store.undo()
      try store.undo()
      page.number = 5
    }
    #expect(soup.stock == 2 && page.number == 5)
    try store.redo()
    try store.redo()
    #expect(soup.stock == 4 && page.number == 0)
  }

  @Test func `an undo that isn't to be undone is a write beside the steps of the others`() throws {
    let novel = makeNovel(1, "a")
    try store.write(undoable: false) { try store.add(novel) }
    try store.write(origin: "mine") { novel.name = "b" }
    try store.write { novel.pages = 7 }
    try store.write(undoable: false) { _ = try mine.undo() }
    #expect(novel.name == "a" && store.history.undoCount == 2)
    try store.write { novel.name = "c" }
    try store.write(undoable: false) { novel.name = "d" }
    #expect(throws: ChangeConflictError.self) { try store.undo() }
    _ = try store.undo(onConflict: .theirs)
    #expect(novel.name == "d" && store.history.undoCount == 2)
    #expect(try store.undo().isClean)
    #expect(novel.pages != 7)
    // Its value from before `mine` isn't the present one.
    #expect(throws: ChangeConflictError.self) { try store.undo() }
  }

  @Test func `one transaction takes steps of one history`() throws {
    let other = UndoHistory(store)
    soup.stock = 3
    soup.stock = 4
    #expect(throws: StoreError.undoAfterWrites) {
      try store.write {
        try store.undo()
        try other.undo()
      }
    }
    #expect(soup.stock == 4 && other.undoCount == 2 && store.history.undoCount == 2)
    try store.write {
      try store.undo()
      try store.undo()
    }
    #expect(soup.stock == 2 && other.undoCount == 3)
    try other.undo()
    #expect(soup.stock == 4)
  }

  @Test func `writes beside the steps are noted of the objects of steps alone`() throws {
    weak var loaded: Novel?
    weak var edited: Novel?
    try store.write(undoable: false) {
      let novels = [makeNovel(1, "a"), makeNovel(2, "b")]
      try store.add(novels)
      (loaded, edited) = (novels[0], novels[1])
    }
    edited?.name = "c"
    for novel in [loaded, edited] {
      try store.write(undoable: false) { novel?.name = "d" }
      try store.write(undoable: false) { try novel.map { try store.delete($0) } }
    }
    #expect(loaded == nil)
    #expect(edited != nil)
    #expect(throws: ChangeConflictError.self) { try store.undo() }
    store.history.removeAll()
    #expect(edited == nil)
  }

  @Test func `a drag of two properties keeps the values before it alone`() throws {
    let shape = Shape()
    let history = UndoHistory(store, coalescing: .property)
    try store.add(shape)
    for number in 1...100 {
      try store.write {
        shape.x = Traced(number)
        shape.y = Traced(-number)
      }
    }
    store.history.removeAll()
    // Those before, and those now.
    #expect(Traced.Trace.count.load(ordering: .relaxed) == 4)
    try history.undo()
    #expect(shape.x.number == 0 && shape.y.number == 0)
    try history.redo()
    #expect(shape.x.number == 100 && shape.y.number == -100)
    history.removeAll()
    store.history.removeAll()
    #expect(Traced.Trace.count.load(ordering: .relaxed) == 2)
  }
}

private final class Shape: Object {
  @Field var x = Traced(0)
  @Field var y = Traced(0)
}

/// A number whose copies are counted.
private struct Traced: Codable, Hashable, Sendable {
  final class Trace: Sendable {
    static let count = Atomic(0)

    init() { Self.count.add(1, ordering: .relaxed) }

    deinit { Self.count.subtract(1, ordering: .relaxed) }
  }

  let number: Int
  private let trace = Trace()

  init(_ number: Int) { self.number = number }

  init(from decoder: any Decoder) throws { number = try Int(from: decoder) }

  func encode(to encoder: any Encoder) throws { try number.encode(to: encoder) }

  static func == (lhs: Self, rhs: Self) -> Bool { lhs.number == rhs.number }

  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
