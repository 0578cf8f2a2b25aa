import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

/// Random removals on screen, with commits between frame and intent, against arrays.
///
/// `SIGNALS_STEPS` sets the number of steps.
@Suite struct `Views, random removals` {
  static let steps =
    ProcessInfo.processInfo.environment["SIGNALS_STEPS"].flatMap { Int($0) } ?? 400

  /// What the screen shows and the next intent removes.
  final class Plan {
    @Signal var query: Int? = nil
    var offsets: [Int] = []
  }

  struct Screen: View {
    @ObservedResults<Note> var notes: Results<Note>
    @ObservedSections(Note.self, by: \.isDoneText, sortedBy: .ascending(\.rank)) var sections
    let plan: Plan

    init(_ order: SortDirection, limit: Int?, _ plan: Plan) {
      _notes = ObservedResults(Note.self, sortedBy: \.rank, order: order, limit: limit)
      self.plan = plan
    }

    var body: Element {
      Text("of \(notes.count)")
      if let query = plan.query {
        ForEach($notes.where(on: query) { $0.number % 2 == query }) { Text($0.title) }
      } else {
        ForEach(notes) { note in
          Text(note.title)
          ForEach(notes.limit(2)) { Text($0.title) }
        }
      }
      ForEach($sections) { $section in
        ForEach(section) { Text("\($0.rank)") }
        Button("remove in \(section.key)") { try $section.remove(atOffsets: plan.offsets) }
      }
      Button("remove") { try $notes.remove(atOffsets: plan.offsets) }
    }
  }

  @Test(arguments: seeds(4))
  func `intents remove the rows on screen, as from an array`(seed: UInt64) throws {
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
      plan.query = Bool.random(using: &random) ? Int.random(in: 0..<2, using: &random) : nil
      clock.tick()
      let shown = all.filter { plan.query == nil || $0.number % 2 == plan.query }
      let inDone = Array(done)
      for _ in 0..<Int.random(in: 0...2, using: &random) { try edit(store, notes, &random) }
      let isOfSection = !inDone.isEmpty && Int.random(in: 0..<3, using: &random) == 0
      let rows = isOfSection ? inDone : Array(shown.prefix(limit ?? .max))
      plan.offsets = rows.indices.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
      let before = Array(all)
      try app.tap(isOfSection ? "remove in done" : "remove")
      let gone = plan.offsets.map { rows[$0] }
      #expect(Array(all) == before.filter { !gone.contains($0) }, "step \(step)")
      for note in gone where note.store == nil { try store.add(note) }
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
}
