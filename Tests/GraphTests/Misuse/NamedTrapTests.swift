import Signals
import SignalsTesting
import TestSupport
import Testing

/// Each misuse that can't be an error value.
@Suite struct `Misuse, every trap speaks` {
  enum Mistake: String, Codable, CaseIterable {
    case get, set, remove, removeFirst, removeLast, removeSuffix, removeAtOffsets, move, insert
    case slice, replace, getStored
    case backlinks, undoLimit, undoHistory, historyLimit, clock
    case resultsSlice, resultsPart, sections, sectionRow, change, binding
    case onScreen, shownList

    var message: String {
      switch self {
      case .get: "List<Novel>: index 3 is outside of a list of 0"
      case .set: "Shelf(place: \"a\").novels: index 3 is outside of a list of 0"
      case .remove: "Shelf(place: \"a\").novels: index 7 is outside of a list of 0"
      case .removeFirst: "Shelf(place: \"a\").novels: index 0 is outside of a list of 0"
      case .removeLast: "Shelf(place: \"a\").novels: index -1 is outside of a list of 0"
      case .removeSuffix: "Shelf(place: \"a\").novels: a suffix of 2 is outside of a list of 0"
      case .removeAtOffsets: "Shelf(place: \"a\").novels: offset 4 is outside of a list of 0"
      case .move: "Shelf(place: \"a\").novels: offset 9 is outside of a list of 0"
      case .insert: "Shelf(place: \"a\").novels: range 5..<5 is outside of a list of 0"
      case .slice: "List<Novel>: range 2..<4 is outside of a list of 0"
      case .replace: "Shelf(place: \"a\").novels: range 0..<2 is outside of a list of 0"
      case .getStored: "Shelf(place: \"a\").novels: index 3 is outside of a list of 1"
      case .backlinks: "index 3 is outside of the 0 Shelf that link to Novel(key: 1)"
      case .undoLimit: "Store(undoLimit: -1): a limit can't be negative"
      case .undoHistory: "UndoHistory(limit: 0): it would keep nothing"
      case .historyLimit: "TestHost(historyLimit: 0): it would keep no frame"
      case .clock: "ManualClock.advance(by: -1.0 seconds): time only passes"
      case .resultsSlice: "positions 2..<5 are outside of the 0 rows of Novel"
      case .resultsPart: "index 0 is outside of a slice of the rows 0..<0 of Novel"
      case .sections:
        "positions 2..<3 are outside of the sections of the results of Novel, of which there are 0"
      case .sectionRow: "index 4 is outside of a section of 1 rows of Novel"
      case .change: "a change of Novel is applied to 0 elements, and takes away the one at 1"
      case .binding: "a binding to Array<Int> of 0: index 2 is outside of it"
      case .onScreen: "offset 9 is outside of the 0 rows of Novel on screen"
      case .shownList: "offset 3 is outside of the 0 rows of Novel on screen"
      }
    }

    func run() throws {
      let (store, shelf) = (Store(), makeShelf("a"))
      try store.add(shelf)
      switch self {
      case .get: _ = shelf.novels[3]
      case .set: shelf.novels[3] = makeNovel(1)
      case .remove: shelf.novels.remove(at: 7)
      case .removeFirst: shelf.novels.removeFirst()
      case .removeLast: shelf.novels.removeLast()
      case .removeSuffix: shelf.novels.removeLast(2)
      case .removeAtOffsets: shelf.novels.remove(atOffsets: [4])
      case .move: shelf.novels.move(fromOffsets: [9], toOffset: 0)
      case .insert: shelf.novels.insert(makeNovel(1), at: 5)
      case .slice: _ = shelf.novels[2..<4]
      case .replace: shelf.novels.replaceSubrange(0..<2, with: [])
      case .getStored:
        shelf.novels = [makeNovel(1)]
        _ = shelf.novels[3]
      case .backlinks: _ = makeNovel(1).shelves[3]
      case .undoLimit: _ = Store(undoLimit: -1)
      case .undoHistory: _ = UndoHistory(store, limit: 0)
      case .historyLimit: _ = try TestHost(store, historyLimit: 0) { Text("x") }
      case .clock: ManualClock().advance(by: .seconds(-1))
      default: try runMore(store, shelf)
      }
    }

    private func runMore(_ store: Store, _ shelf: Shelf) throws {
      let novels = store.results(Novel.self)
      switch self {
      case .resultsSlice: _ = novels[2..<5]
      case .resultsPart: _ = novels[0..<0][0]
      case .sections: _ = novels.sectioned(by: \.name)[2..<3]
      case .sectionRow:
        try store.add(makeNovel(1))
        _ = novels.sectioned(by: \.name)[0][4]
      case .change:
        let token = novels.observe { change in
          var other: [Novel] = []
          change.apply(to: &other)
        }
        let all = [makeNovel(1), makeNovel(2)]
        try store.add(all)
        try store.delete(all[1])
        withExtendedLifetime(token) {}
      case .binding:
        let numbers = Signal([Int]())
        _ = numbers.binding[2]
      case .onScreen: try shown(store).remove(atOffsets: [9])
      case .shownList:
        let binding = Binding(get: { shelf.novels }, set: { shelf.novels = $0 })
        binding.remove(atOffsets: [3], in: List<Novel>())
      default: break
      }
    }

    private func shown(_ store: Store) -> BoundResults<Novel> {
      ObservedResults(Novel.self, sortedBy: \.pages, in: store).projectedValue
    }
  }

  @Test(arguments: Mistake.allCases) func `a mistake is named`(mistake: Mistake) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [mistake = mistake as Mistake] in
      try mistake.run()
    }
    expectError(result, "Signals: \(mistake.message)")
  }

  @Test func `a chain of conditions that is first read too deep traps with its path`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = Store()
      try store.add((0..<3).map { makeNovel($0) })
      var rows = store.results(Novel.self)
      for _ in 0..<20_000 {
        let below = rows
        rows = store.results(Novel.self).where { below.contains($0) }
      }
      _ = rows.count
    }
    expectError(
      result,
      """
      Signals: the stack is full while a predicate or sort key of the results of Novel is evaluated \
      for the first time
      """)
    expectError(result, "-> a predicate or sort key of the results of Novel -> … ")
  }

  @Test func `a body that writes its state is told which`() async {
    struct Counter: View {
      @State var count = 0
      var body: Element {
        let _ = count = 1
        Text("never")
      }
    }
    struct Search: DynamicProperty { @State var query = "" }
    struct Screen: View {
      var search = Search()
      var body: Element {
        let _ = search.query = "x"
        Text("never")
      }
    }
    let plain = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try TestHost(Store()) { Counter() }
    }
    expectError(plain, "the body of Counter must not write signal 'Counter.count'")
    let nested = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try TestHost(Store()) { Screen() }
    }
    expectError(nested, "the body of Screen must not write signal 'Screen.search.query'")
  }
}
