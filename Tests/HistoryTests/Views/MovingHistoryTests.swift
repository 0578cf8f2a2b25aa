import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

/// Random moves and removals on screen, with commits between frame and intent, against arrays.
///
/// `SIGNALS_STEPS` sets the number of steps.
@Suite struct `Views, random moves` {
  static let steps =
    ProcessInfo.processInfo.environment["SIGNALS_STEPS"].flatMap { Int($0) } ?? 400

  final class Line: Projection<Note> {
    @Projected(\Note.isDoneText) var done: String
    @ProjectedWritable(\Note.rank) var rank: Int
  }

  /// What the next intent does.
  final class Plan {
    var offsets: [Int] = []
    var destination = 0
  }

  struct Screen: View {
    @ObservedResults<Note> var notes: Results<Note>
    @ObservedSections(Line.self, by: \.done, sortedBy: .ascending(\.rank)) var sections
    let plan: Plan

    init(_ order: SortDirection, limit: Int?, _ plan: Plan) {
      _notes = ObservedResults(Note.self, sortedBy: \.rank, order: order, limit: limit)
      self.plan = plan
    }

    var body: Element {
      ForEach(notes) { note in
        Text(note.title)
        ForEach(notes.limit(2)) { Text($0.title) }
      }
      ForEach($sections) { $section in
        ForEach(section) { Text("\($0.rank)") }
        Button("move in \(section.key)") {
          try $section.move(
            fromOffsets: plan.offsets, toOffset: plan.destination, by: \.rank)
        }
      }
      Button("move") {
        try $notes.move(fromOffsets: plan.offsets, toOffset: plan.destination, by: \.rank)
      }
      Button("remove") { try $notes.remove(atOffsets: plan.offsets) }
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `intents do to the rows on screen what an array has done to it`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<max(1, Self.steps / 100) {
      let order: SortDirection = Bool.random(using: &random) ? .ascending : .descending
      let limit = Bool.random(using: &random) ? Int.random(in: 0...6, using: &random) : nil
      try run(order, limit, &random)
    }
  }

  private func run(_ order: SortDirection, _ limit: Int?, _ random: inout SeededRandom) throws {
    let (store, notes) = try notes(9)
    let (clock, plan) = (FrameClock.manual, Plan())
    let app = try TestHost(store, clock: clock) { Screen(order, limit: limit, plan) }
    let all = store.results(Note.self).sorted(by: \.rank, order: order)
    let done = store.results(Note.self).where(\.isDone).sorted(by: \.rank)
    for step in 0..<25 {
      clock.tick()
      let shown = Array(all.prefix(limit ?? .max))
      let inDone = Array(done)
      for _ in 0..<Int.random(in: 0...2, using: &random) { try edit(store, notes, &random) }
      let isOfSection = !inDone.isEmpty && Int.random(in: 0..<3, using: &random) == 0
      let rows = isOfSection ? inDone : shown
      plan.offsets = rows.indices.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
      plan.destination = Int.random(in: 0...rows.count, using: &random)
      let before = Array(isOfSection ? done : all)
      let ranks = before.map(\.rank)
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        if isOfSection { continue }
        try app.tap("remove")
        let gone = plan.offsets.map { shown[$0] }
        #expect(Array(all) == before.filter { !gone.contains($0) }, "step \(step)")
        for note in gone where note.store == nil { try store.add(note) }
      default:
        try app.tap(isOfSection ? "move in done" : "move")
        let expected = moved(before, plan.offsets.map { rows[$0] }, before: plan.destination, rows)
        #expect(Array(isOfSection ? done : all) == expected, "step \(step)")
        if expected == before { #expect(before.map(\.rank) == ranks) }
      }
    }
  }

  private func edit(
    _ store: Store, _ notes: [Note], _ random: inout SeededRandom
  ) throws {
    guard let note = notes.randomElement(using: &random) else { return }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: note.rank = Int.random(in: 0..<5, using: &random)
    case 1: note.isDone.toggle()
    case 2: if note.store == nil { try store.add(note) } else { try store.delete(note) }
    default: note.title += "!"
    }
  }

  /// The rows with some of them before the next that is still there of those on screen, or after the last.
  private func moved(
    _ rows: [Note], _ moving: [Note], before destination: Int, _ shown: [Note]
  ) -> [Note] {
    let moving = moving.filter(rows.contains)
    var rest = rows.filter { !moving.contains($0) }
    let stays = shown.indices.filter { rest.contains(shown[$0]) }
    var place = rest.count
    if let next = stays.first(where: { $0 >= destination }) {
      place = rest.firstIndex(of: shown[next]) ?? place
    } else if let last = stays.last {
      place = (rest.firstIndex(of: shown[last]) ?? place) + 1
    }
    rest.insert(contentsOf: moving, at: place)
    return rest
  }
}
