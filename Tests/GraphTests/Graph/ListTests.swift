import Signals
import SignalsTesting
import TestSupport
import Testing

/// Lists as values, and as properties.
@Suite struct `Graph, lists` {
  let store = Store()
  let novels = (0..<6).map { makeNovel($0) }
  let shelf = makeShelf("s")

  init() throws {
    try store.add(shelf)
    shelf.novels = List(novels)
  }

  var keys: [Int] { shelf.novels.map(\.key) }

  @Test func `a copy is independent`() {
    var copy = shelf.novels
    copy.reverse()
    copy.removeLast()
    #expect(keys == [0, 1, 2, 3, 4, 5] && copy.map(\.key) == [5, 4, 3, 2, 1])
  }

  @Test(arguments: [
    (Edit("append") { $0.append($0[0]) }, [0, 1, 2, 3, 4, 5, 0]),
    (Edit("remove an object") { list in list.remove(list[2]) }, [0, 1, 3, 4, 5]),
    (Edit("remove(at:)") { $0.remove(at: 5) }, [0, 1, 2, 3, 4]),
    (Edit("sort") { $0.sort { $0.key > $1.key } }, [5, 4, 3, 2, 1, 0]),
    (Edit("swapAt") { $0.swapAt(0, 5) }, [5, 1, 2, 3, 4, 0]),
    (Edit("slice") { $0[0..<2] = $0[4..<6] }, [4, 5, 2, 3, 4, 5]),
    (Edit("removeAll(where:)") { $0.removeAll { $0.key.isMultiple(of: 2) } }, [1, 3, 5]),
    (Edit("removeSubrange") { $0.removeSubrange(1..<5) }, [0, 5]),
    (
      Edit("insert(contentsOf:)") { $0.insert(contentsOf: $0.prefix(2), at: 3) },
      [0, 1, 2, 0, 1, 3, 4, 5]
    ),
    (Edit("move") { $0.move(fromOffsets: [0, 2], toOffset: 1) }, [0, 2, 1, 3, 4, 5]),
    (Edit("move to the end") { $0.move(fromOffsets: [1, 0], toOffset: 6) }, [2, 3, 4, 5, 0, 1]),
    (Edit("remove(atOffsets:)") { $0.remove(atOffsets: [4, 0, 4]) }, [1, 2, 3, 5]),
    (Edit("element") { $0[1] = $0[0] }, [0, 0, 2, 3, 4, 5]),
  ])
  func `an edit through the property is one change`(edit: Edit, expected: [Int]) throws {
    var seen: [[Int]] = []
    var commits: [ChangeSet] = []
    let effect = Effect { seen.append(self.shelf.novels.map(\.key)) }
    let token = store.commits.sink { commits.append($0) }
    edit.apply(&shelf.novels)
    #expect(seen == [[0, 1, 2, 3, 4, 5], expected])
    #expect(commits.count == 1 && store.brokenInvariants() == [])
    #expect(commits[0].changes.map(\.properties.count) == [1])
    try store.undo()
    #expect(keys == [0, 1, 2, 3, 4, 5] && store.brokenInvariants() == [])
    withExtendedLifetime((effect, token)) {}
  }

  @Test func `an equal list is no change`() {
    var commits = 0
    let token = store.commits.sink { _ in commits += 1 }
    shelf.novels = List(novels)
    shelf.novels.swapAt(1, 1)
    shelf.novels.move(fromOffsets: [], toOffset: 3)
    shelf.novels.move(fromOffsets: [2], toOffset: 3)
    shelf.novels.remove(makeNovel(9))
    #expect(commits == 0)
    withExtendedLifetime(token) {}
  }

  @Test func `a list may hold an object several times`() throws {
    shelf.novels = [novels[0], novels[1], novels[0]]
    #expect(keys == [0, 1, 0] && shelf.novels.firstIndex(of: novels[0]) == 0)
    #expect(novels[0].shelves.multiplicity(of: shelf) == 2)
    shelf.novels.remove(novels[0])
    #expect(keys == [1, 0] && novels[0].shelves.multiplicity(of: shelf) == 1)
    try store.delete(novels[0])
    #expect(keys == [1])
  }

  @Test func `iterating goes over one version`() {
    for novel in shelf.novels where novel.key != 3 { shelf.novels.remove(novel) }
    #expect(keys == [3])
  }

  @Test func `lists of equal members are equal`() {
    #expect(shelf.novels == List(novels) && shelf.novels != List(novels.reversed()))
    #expect(shelf.novels != List(novels.dropLast()) && List<Novel>() == [])
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `moved members keep their order, and the others theirs`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let members = (0..<Int.random(in: 1...200, using: &random)).map { makeNovel(10 + $0) }
    // Some are in the list several times.
    let list = members + members.filter { _ in Int.random(in: 0..<8, using: &random) == 0 }
    let shelf = makeShelf("moves", list)
    try store.add(shelf)
    var model = list
    for step in 0..<runLength(usually: 60) {
      let count = Int.random(in: 0...(step % 5 == 0 ? list.count : 3), using: &random)
      let offsets = (0..<count).map { _ in Int.random(in: 0..<list.count, using: &random) }
      let destination = Int.random(in: 0...list.count, using: &random)
      shelf.novels.move(fromOffsets: offsets, toOffset: destination)
      let isMoved = (0..<list.count).map { Set(offsets).contains($0) }
      func part(_ range: Range<Int>, moved: Bool) -> [Novel] {
        range.filter { isMoved[$0] == moved }.map { model[$0] }
      }
      model =
        part(0..<destination, moved: false) + part(0..<list.count, moved: true)
        + part(destination..<list.count, moved: false)
      #expect(Array(shelf.novels) == model, "seed \(seed), step \(step)")
      #expect(store.brokenInvariants() == [], "seed \(seed), step \(step)")
    }
  }

  @Test func `positions outside a list trap with the position`() async {
    let read = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = makeShelf("s", [makeNovel(1)]).novels[1]
    }
    expectError(read, "Signals: List<Novel>: index 1 is outside of a list of 1")
    let move = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      makeShelf("s", [makeNovel(1)]).novels.move(fromOffsets: [0], toOffset: 2)
    }
    expectError(
      move, "Signals: Shelf(place: \"s\").novels: destination 2 is outside of a list of 1")
    let remove = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      makeShelf("s", [makeNovel(1)]).novels.remove(atOffsets: [-1])
    }
    expectError(remove, "Signals: Shelf(place: \"s\").novels: offset -1 is outside of a list of 1")
  }
}

/// An edit of a list with a name.
struct Edit: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let apply: @Sendable (inout List<Novel>) -> Void

  init(_ name: String, _ apply: @escaping @Sendable (inout List<Novel>) -> Void) {
    testDescription = name
    self.apply = apply
  }
}
