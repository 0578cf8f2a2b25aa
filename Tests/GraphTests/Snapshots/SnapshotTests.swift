import Foundation
import Signals
import TestSupport
import Testing

/// What a snapshot is, and how it is read.
@Suite struct `Snapshots` {
  let store = Store()
  let emma = makeNovel(1, "Emma", pages: 400)
  let kim = makeNovel(2, "Kim", pages: 300)
  let shelf = makeShelf("s")

  init() throws {
    shelf.novels = [emma, kim, emma]
    shelf.best = kim
    emma.author = Writer()
    emma.author?.name = "Jane"
    emma.tags = ["a", "b"]
    try store.add(shelf)
  }

  @Test func `what happens to the store later does not show`() throws {
    let snapshot = store.snapshot()
    try store.write {
      emma.name = "Persuasion"
      shelf.novels.remove(at: 0)
      try store.delete(kim)
      try store.add(makeNovel(3, "New"))
    }
    let shelves = snapshot.objects(Shelf.self)
    #expect(shelves[0].novels.map(\.name) == ["Emma", "Kim", "Emma"])
    #expect(shelves[0].best?.name == "Kim")
    #expect(snapshot.count == 4 && snapshot.count(of: Novel.self) == 2)
    #expect(store.snapshot().count == 4 && store.snapshot().objects(Shelf.self)[0].best == nil)
  }

  @Test func `each call reads one connected graph of new, unstored objects`() throws {
    let snapshot = store.snapshot()
    let novels = snapshot.objects(Novel.self)
    #expect(novels.map(\.objectID) == [emma.objectID, kim.objectID])
    #expect(novels[0] !== emma && novels[0].store == nil && !novels[0].isDeleted)
    #expect(novels[0].tags == ["a", "b"] && novels[0].author?.name == "Jane")
    #expect(novels[0].shelves.isEmpty)
    let shelf = try #require(snapshot.object(shelf.objectID) as? Shelf)
    #expect(shelf.novels[0] === shelf.novels[2] && shelf.novels[1] === shelf.best)
    #expect(shelf.novels[0] !== novels[0])
    #expect(
      snapshot.objects(Page.self).isEmpty
        && snapshot.object(ObjectID(replica: 1, counter: 1)) == nil)
  }

  @Test func `objects are found by key, and a class covers its subclasses`() {
    let snapshot = store.snapshot()
    #expect(snapshot.object(Novel.self, primaryKey: 2)?.name == "Kim")
    #expect(snapshot.object(Work.self, primaryKey: 1) is Novel)
    #expect(snapshot.object(Novel.self, primaryKey: 3) == nil)
    #expect(snapshot.count(of: Work.self) == 2 && snapshot.objects(Work.self).count == 2)
    #expect(snapshot.count(of: Object.self) == snapshot.count && !snapshot.isEmpty)
  }

  @Test func `objects read together are one instance each, and apart when that ends`() throws {
    let chain = Chain()
    chain.next = Chain()
    chain.next?.key = 1
    chain.next?.next = chain
    try store.add(chain)
    weak var released: Chain?
    let kept = store.snapshot().withObjects { objects in
      let first = objects.object(Chain.self, primaryKey: 0)
      #expect(first === objects.object(chain.objectID) && first?.next?.next === first)
      #expect(objects.objects(Chain.self).first === first)
      released = first?.next
      return first
    }
    #expect(kept?.next == nil && kept?.key == 0 && released == nil)
  }

  @Test func `nothing changed gives the same snapshot, and what changed alone is new`() throws {
    let first = store.snapshot()
    #expect(first == store.snapshot() && first.changes(to: store.snapshot()).isEmpty)
    #expect(store.notedChanges == 0)
    try? store.write {
      kim.pages = 1
      throw CancellationError()
    }
    #expect(store.notedChanges == 0)
    kim.pages = 1
    kim.pages = 2
    #expect(store.notedChanges == 1)
    let second = store.snapshot()
    #expect(first != second)
    #expect(first.changes(to: second)[kim]?.new(\.pages) == 2)
    #expect(first.changes(to: second).inverted() == second.changes(to: first))
    kim.pages = 300
    #expect(store.snapshot() == first)
  }

  @Test func `a store without snapshots notes nothing`() throws {
    emma.pages = 5
    try store.delete(kim)
    #expect(store.notedChanges == 0)
  }

  @Test func `every way to change a field is noted`() throws {
    let plain = Store(undoLimit: 0)
    let novel = makeNovel(9)
    try plain.add(novel)
    var last = plain.snapshot()
    func expectChange(_ line: Int = #line, _ body: () throws -> Void) rethrows {
      try body()
      let next = plain.snapshot()
      #expect(last.changes(to: next).changes.map(\.id) == [novel.objectID], "line \(line)")
      #expect(next.object(Novel.self, primaryKey: 9).map(text) == text(novel), "line \(line)")
      last = next
    }
    func text(_ novel: Novel) -> String {
      "\(novel.name) \(novel.pages) \(novel.tags) \(novel.shelf) \(novel.size)"
    }
    expectChange { novel.pages = 3 }
    expectChange { novel.tags.append("in place") }
    expectChange { novel.size.width = 12 }
    try expectChange { try plain.write { novel.tags.append("in a write") } }
    expectChange { novel.shelf = "indexed" }
    let effect = Effect { _ = novel.pages }
    expectChange { novel.pages = 4 }
    effect.cancel()
    let token = plain.commits.sink { _ in }
    expectChange { novel.pages = 5 }
    token.cancel()
    try expectChange { try plain.add(makeNovel(9, "upserted"), onConflict: .theirs) }
    try expectChange {
      let change = last.changes(
        to: Store(last).changed { $0.object(Novel.self, primaryKey: 9)?.pages = 77 })
      try plain.apply(change)
    }
  }

  @Test func `what was rolled back is in no snapshot`() throws {
    let before = store.snapshot()
    try? store.write {
      emma.name = "x"
      try store.delete(kim)
      try store.add(makeNovel(5))
      shelf.novels = []
      throw Refusal()
    }
    #expect(store.snapshot() == before)
    try store.delete(kim)
    try store.undo()
    #expect(store.snapshot() == before && store.snapshot().objects(Shelf.self)[0].best?.key == 2)
  }

  @Test func `a slot that is used again has the new object`() throws {
    _ = store.snapshot()
    try store.delete(kim)
    try store.add(makeNovel(7, "Next"))
    let snapshot = store.snapshot()
    #expect(snapshot.objects(Novel.self).map(\.name) == ["Emma", "Next"])
    #expect(snapshot.object(kim.objectID) == nil)
  }

  @Test func `a list that got its members back after slots were taken leads to them`() throws {
    _ = store.snapshot()
    try store.write { try store.delete(kim) }
    try store.write(undoable: false) { try store.add(makeNovel(8, "Thief")) }
    try store.undo()
    let snapshot = store.snapshot()
    #expect(snapshot.objects(Shelf.self)[0].novels.map(\.name) == ["Emma", "Kim", "Emma"])
    #expect(snapshot.objects(Shelf.self)[0].best?.name == "Kim")
    #expect(Store(snapshot).brokenInvariants() == [])
  }

  @Test func `values of every size and alignment are kept`() throws {
    let objects = (0..<40).map { number in
      let sizes = Sizes()
      sizes.vector[3] = Float(number)
      sizes.letter = number % 2 == 0 ? "é" : "👩‍👩‍👧"
      sizes.pair = Array(repeating: Pair(a: "long enough for the heap", b: nil), count: number)
      sizes.maybe = number % 3 == 0 ? nil : number
      sizes.lookup = ["n": number]
      sizes.wide.a = "\(number) is a number in a string of some length"
      return sizes
    }
    try store.add(objects)
    var last = store.snapshot()
    for round in 0..<20 {
      objects[round * 2].small = 9
      objects[round * 2].short = 8
      objects[round].wide.b = true
      objects[round].lookup["r"] = round
      let next = store.snapshot()
      #expect(Set(last.changes(to: next).changes.map(\.id)).contains(objects[round].objectID))
      last = next
      if round == 4 { try store.delete(objects[39]) }
    }
    let coded = try last.coded()
    let restored = Store(coded).results(Sizes.self)
    #expect(restored.count == 39 && Store(last).snapshot() == last && last == coded)
    for (sizes, object) in zip(restored, objects) {
      #expect(
        sizes.vector == object.vector && sizes.pair == object.pair && sizes.short == object.short)
      #expect(
        sizes.letter == object.letter && sizes.wide == object.wide && sizes.small == object.small)
      #expect(sizes.maybe == object.maybe && sizes.lookup == object.lookup)
    }
  }

  @Test func `not-a-number is the same as itself`() throws {
    emma.price = .nan
    let one = store.snapshot()
    #expect(one == Store(one).snapshot())
  }

  @Test func `inside a transaction there is no snapshot`() async {
    let write = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = Store()
      try store.write { _ = store.snapshot() }
    }
    expectError(write, "Signals: a snapshot was asked for inside a transaction")
    let callback = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let (store, page) = (Store(), Page())
      try store.add(page)
      Effect {
        page.number += 1
        _ = store.snapshot()
      }.cancel()
    }
    expectError(callback, "Signals: a snapshot was asked for inside a transaction")
    let mutation = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let (store, novel) = (Store(undoLimit: 0), makeNovel(1))
      try store.add(novel)
      novel.tags = ["x"]
      novel.tags.removeAll { _ in store.snapshot().isEmpty }
    }
    expectError(mutation, "Signals: a snapshot was asked for while a property is being changed")
  }

  @Test func `an effect may take one that has all of the commit`() throws {
    var counts: [Int] = []
    let effect = Effect {
      _ = emma.pages
      counts.append(store.snapshot().count(of: Novel.self))
    }
    try store.write {
      emma.pages = 1
      try store.add(makeNovel(4))
    }
    #expect(counts == [2, 3])
    effect.cancel()
  }
}

extension Store {
  /// The snapshot after a change.
  fileprivate func changed(_ body: (Store) -> Void) -> Snapshot {
    body(self)
    return snapshot()
  }
}
