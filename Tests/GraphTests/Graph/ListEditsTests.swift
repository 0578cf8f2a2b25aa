import Signals
import SignalsTesting
import TestSupport
import Testing

/// What a change set says of lists, and how it describes itself.
@Suite struct `Graph, list edits and descriptions` {
  let store = Store()

  func changes(_ body: () throws -> Void) rethrows -> [ChangeSet] {
    var changes: [ChangeSet] = []
    let token = store.commits.sink { changes.append($0) }
    try body()
    token.cancel()
    return changes
  }

  @Test func `edits turn the old members into the new ones, with moves`() throws {
    for seed in UInt64(1)...40 {
      var random = SeededRandom(seed: seed)
      let novels = (0..<8).map { makeNovel($0) }
      let shelf = makeShelf("s")
      let store = Store()
      try store.add(novels + [shelf] as [Object])
      var all: [ChangeSet] = []
      let token = store.commits.sink { all.append($0) }
      for _ in 0..<20 {
        let size = Int.random(in: 0...7, using: &random)
        shelf.novels = List((0..<size).map { _ in novels[Int.random(in: 0..<8, using: &random)] })
      }
      for change in all {
        guard let property = change[shelf.objectID]?["novels"], let edits = property.listEdits,
          var list = property.old as? [ObjectID], let new = property.new as? [ObjectID]
        else { continue }
        let staying = list.count - edits.deletions.count - edits.moves.count
        #expect(staying == new.count - edits.insertions.count - edits.moves.count)
        edits.apply(to: &list)
        #expect(list == new, "seed \(seed): \(edits)")
      }
      token.cancel()
    }
  }

  @Test func `one moved member is one move`() throws {
    let novels = (0..<6).map { makeNovel($0) }
    let shelf = makeShelf("s", novels)
    try store.add(shelf)
    let commit = try #require(changes { shelf.novels.move(fromOffsets: [4], toOffset: 1) }.first)
    let edits = try #require(commit[shelf]?.edits(of: \.novels))
    #expect(edits.moves == [PositionPair(old: 4, new: 1)])
    #expect(!edits.isEmpty && commit[shelf]?["novels"]?.listEdits == edits)
  }

  @Test func `a change set is a diff that a person can read`() throws {
    let (emma, persuasion, page) = (makeNovel(1, "Emma"), makeNovel(2), Page())
    let shelf = makeShelf("s", [emma, persuasion])
    try store.add(shelf)
    let all = try changes {
      try store.write {
        shelf.novels.remove(at: 0)
        shelf.best = emma
        emma.name = "Emma\n"
        emma.price = 2
        try store.add(page)
      }
      try store.delete(page)
    }
    let (e, s, p) = (emma.objectID, shelf.objectID, page.objectID)
    #expect(
      all[0].description == """
        ~ Shelf \(s)
            novels: 2 -> 1 member
              - \(e) at 0
            best: nil -> \(e)
        ~ Novel \(e)
            name: "Emma" -> "Emma\\n"
            price: nil -> 2.0
        + Page \(p)
            number: 0
            text: ""
        """)
    #expect(all[1].description == "- Page \(p)\n    number: 0\n    text: \"\"")
    #expect(all[1].inverted().description == "+ Page \(p)\n    number: 0\n    text: \"\"")
  }
}
