import Signals
import Testing

/// Fields that keep the larger of two concurrent values.
@Suite struct `Graph, fields that keep the maximum` {
  let store = Store()
  let place = Place()

  init() throws { try store.write(undoable: false) { try store.add(place) } }

  @Test func `undoing a step keeps a larger value written since`() throws {
    place.lastRead = 12
    try store.write(undoable: false) { place.lastRead = 15 }
    #expect(try store.undo().isClean)
    #expect(place.lastRead == 15)
    #expect(try store.redo().isClean)
    #expect(place.lastRead == 15)
  }

  @Test func `undoing a step restores a value larger than the one written since`() throws {
    place.lastRead = 12
    place.lastRead = 3
    try store.write(undoable: false) { place.lastRead = 7 }
    #expect(try store.undo().isClean)
    #expect(place.lastRead == 12)
  }

  @Test func `without other writes an undo takes the value back`() throws {
    place.lastRead = 12
    try store.undo()
    #expect(place.lastRead == 0)
    try store.redo()
    #expect(place.lastRead == 12)
  }

  @Test func `change sets keep the larger value, in either order and twice`() throws {
    var changes: [ChangeSet] = []
    let token = store.commits.sink { changes.append($0) }
    place.lastRead = 5
    place.lastRead = 9
    token.cancel()
    for order in [[0, 1, 1], [1, 0, 1]] {
      let replica = Store()
      try replica.apply(try makingPlace)
      let copy = try #require(replica.results(Place.self).first)
      copy.lastRead = 7
      for index in order { #expect(try replica.apply(changes[index]).isClean) }
      #expect(copy.lastRead == 9)
    }
  }

  private var makingPlace: ChangeSet {
    get throws {
      var made = ChangeSet()
      let token = store.commits.sink { made = $0 }
      try store.delete(place)
      token.cancel()
      try store.undo()
      return made.inverted()
    }
  }

  @Test func `a draft keeps the larger value`() throws {
    let draft = store.draft(of: place)
    draft.lastRead = 4
    place.lastRead = 6
    #expect(draft.conflicts.isEmpty)
    try draft.commit()
    #expect(place.lastRead == 6)
    draft.lastRead = 8
    place.lastRead = 7
    try draft.commit()
    #expect(place.lastRead == 8)
  }

  @Test func `it is a field in all else, and takes a smaller value`() throws {
    var seen: [Int] = []
    let effect = Effect { seen.append(place.lastRead) }
    place.lastRead = 5
    place.lastRead = 2
    place.lastRead += 1
    #expect(seen == [0, 5, 2, 3])
    #expect(throws: Stop.self) {
      try store.write {
        place.lastRead = 9
        throw Stop()
      }
    }
    #expect(place.lastRead == 3)
    #expect(Store(store.snapshot()).results(Place.self).first?.lastRead == 3)
    effect.cancel()
  }

  struct Stop: Error {}

  final class Place: Object { @Latest var lastRead = 0 }
}
