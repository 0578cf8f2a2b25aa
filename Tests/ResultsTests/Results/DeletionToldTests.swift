import Signals
import TestSupport
import Testing

/// What observers are told of an object's deletion, and after it.
@Suite struct `Deletion is the last that is told` {
  let store = Store()

  @Test func `nothing that is written to a deleted object is told to its observer`() throws {
    let tale = try store.addTales([1])[0]
    var kinds: [ObjectChange.Kind] = []
    let token = tale.observe { kinds.append($0.kind) }
    let other = tale.changes.sink { kinds.append($0.kind) }
    try store.delete(tale)
    tale.pages = 2
    tale.title = "x"
    #expect(kinds == [.deleted, .deleted])
    try store.add(tale)
    #expect(kinds == [.deleted, .deleted, .inserted, .inserted])
    tale.pages = 3
    #expect(kinds.count == 6)
    token.cancel()
    other.cancel()
  }

  @Test func `the deletion of a list's owner is told once, of an empty list too`() throws {
    let tales = try store.addTales([1, 2])
    for members in [[], tales] {
      let shelf = TaleShelf()
      shelf.novels = List(members)
      try store.add(shelf)
      var changes: [CollectionChange<Tale>] = []
      let token = shelf.changes(of: \.novels).sink { changes.append($0) }
      try store.delete(shelf)
      #expect(changes.count == 1 && changes[0].deletions == Array(members.indices))
      shelf.novels = List(tales)
      shelf.novels = []
      #expect(changes.count == 1)
      try store.undo()
      #expect(changes.count == (members.isEmpty ? 1 : 2))
      #expect(changes.last?.insertions == Array(members.indices))
      token.cancel()
    }
  }

  @Test func `an object that was never stored is reported as before`() throws {
    let tale = Tale()
    var kinds: [ObjectChange.Kind] = []
    let token = tale.observe { kinds.append($0.kind) }
    tale.pages = 2
    #expect(kinds == [.modified])
    token.cancel()
  }
}
