import Signals
import TestSupport
import Testing

/// Every way to edit a list through its property, stored or not: the list, and what is recorded.
@Suite struct `Lists, edited through the property` {
  let store = Store()
  let novels = ["Tom", "Sam", "Dan", "Paul"].enumerated().map { makeNovel($0, $1) }

  /// Makes an edit on a list of the four, unstored and then stored, and checks list, commit and inverse.
  private func check(
    _ expected: [String], moves: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ edit: (Shelf) -> Void
  ) throws {
    let loose = makeShelf("loose", novels)
    edit(loose)
    #expect(loose.novels.map(\.name) == expected, sourceLocation: sourceLocation)
    loose.novels = []
    let store = Store()
    let shelf = makeShelf("s", novels.map { makeNovel($0.key, $0.name) })
    try store.add(shelf)
    var commits: [ChangeSet] = []
    let token = store.commits.sink { commits.append($0) }
    let before = Array(shelf.novels)
    edit(shelf)
    #expect(shelf.novels.map(\.name) == expected, sourceLocation: sourceLocation)
    let isChanged = expected != novels.map(\.name)
    #expect(commits.count == (isChanged ? 1 : 0), sourceLocation: sourceLocation)
    if let edits = commits.first?[shelf]?.edits(of: \.novels) {
      var ids = before.map(\.objectID)
      edits.apply(to: &ids)
      #expect(ids == shelf.novels.map(\.objectID), sourceLocation: sourceLocation)
      if let moves { #expect(edits.moves.count == moves, sourceLocation: sourceLocation) }
      try store.undo()
      #expect(Array(shelf.novels) == before, sourceLocation: sourceLocation)
    }
    #expect(store.brokenInvariants() == [], sourceLocation: sourceLocation)
    withExtendedLifetime(token) {}
  }

  @Test func `members are moved by offsets, to a place in the list before the move`() throws {
    try check(["Sam", "Dan", "Tom", "Paul"], moves: 1) {
      $0.novels.move(fromOffsets: [0], toOffset: 3)
    }
    try check(["Tom", "Sam", "Paul", "Dan"], moves: 1) {
      $0.novels.move(fromOffsets: [2], toOffset: 4)
    }
    try check(["Paul", "Tom", "Sam", "Dan"], moves: 1) {
      $0.novels.move(fromOffsets: [3], toOffset: 0)
    }
    try check(["Tom", "Dan", "Sam", "Paul"]) { $0.novels.move(fromOffsets: [0, 2], toOffset: 1) }
    for place in 0...4 {
      try check(["Tom", "Sam", "Dan", "Paul"]) { $0.novels.move(fromOffsets: [], toOffset: place) }
    }
    try check(["Tom", "Sam", "Dan", "Paul"]) { $0.novels.move(fromOffsets: [1], toOffset: 2) }
  }

  @Test func `members are removed and inserted`() throws {
    try check(["Sam", "Paul"]) { $0.novels.remove(atOffsets: [2, 0, 2]) }
    try check(["Tom", "Sam", "Dan", "Paul"]) { $0.novels.remove(atOffsets: []) }
    try check(["Dan", "Paul"]) { $0.novels.removeFirst(2) }
    try check(["Tom"]) { $0.novels.removeLast(3) }
    try check([]) { $0.novels.removeAll() }
    try check(["Tom", "Paul", "Tom", "Sam", "Dan", "Paul"]) {
      $0.novels.insert(contentsOf: [$0.novels[0], $0.novels[3]], at: 0)
    }
    try check(["Tom", "Paul"]) { $0.novels.removeSubrange(1..<3) }
    try check(["Tom", "Sam", "Sam", "Paul"]) {
      $0.novels.replaceSubrange(2..<3, with: [$0.novels[1]])
    }
  }

  @Test func `members are sorted, swapped, reversed and partitioned in place, and in slices`()
    throws
  {
    try check(["Dan", "Paul", "Sam", "Tom"]) { $0.novels.sort { $0.name < $1.name } }
    try check(["Tom", "Sam", "Dan", "Paul"]) { $0.novels.sort { $0.key < $1.key } }
    try check(["Paul", "Sam", "Dan", "Tom"]) { $0.novels.swapAt(0, 3) }
    try check(["Paul", "Dan", "Sam", "Tom"]) { $0.novels.reverse() }
    try check(["Tom", "Dan", "Sam", "Paul"], moves: 1) { $0.novels[1..<3].reverse() }
    try check(["Tom", "Dan", "Paul", "Sam"]) { $0.novels[1...].sort { $0.name < $1.name } }
    try check(["Sam", "Dan", "Paul"]) { $0.novels[0..<2] = $0.novels[1..<2] }
    try check(["Paul", "Sam", "Dan", "Tom"]) { _ = $0.novels.partition { $0.name == "Tom" } }
    try check(["Sam", "Sam", "Dan", "Paul"]) { $0.novels[0] = $0.novels[1] }
  }
}
