import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

/// The rows of random collections under random changes, against a dictionary of what each row has kept.
///
/// Rows with equal ids keep what they have, all together: which of them is removed, if one is, the data don't tell.
///
/// `SIGNALS_STEPS` sets the number of steps.
@Suite struct `Views, random rows` {
  static let steps = runLength(usually: 1200)

  final class Box: Object {
    @Links var notes: List<Note>
  }

  /// Which collection the rows are made from.
  enum Source: CaseIterable { case list, values, results, narrowed }

  struct Screen: View {
    let source: Source
    let box: Box
    let values: Signal<[Int]>
    let limit: Signal<Int>
    @ObservedResults(Note.self, sortedBy: \.rank) var notes

    var body: Element {
      switch source {
      case .list: ForEach(box.notes) { Line(number: $0.number) }
      case .values: ForEach(values.value, id: \.self) { Line(number: $0) }
      case .results: ForEach(notes) { Line(number: $0.number) }
      case .narrowed:
        ForEach($notes.where(on: limit.value) { [limit] in $0.rank < limit.value * 3 }) {
          Line(number: $0.number)
        }
      }
    }
  }

  struct Line: View {
    let number: Int
    @State var marks = 0

    var body: Element {
      Button("\(number): \(marks)", id: "\(number)") { marks += 1 }
    }
  }

  /// The marks on screen, of each number in order.
  static func marks(_ text: String) -> [Int: [Int]] {
    var marks: [Int: [Int]] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.dropFirst().dropLast().split(separator: ": ").compactMap { Int($0) }
      marks[parts[0], default: []].append(parts[1])
    }
    return marks
  }

  /// Whether rows of one number show what they have kept.
  static func areKept(_ shown: [Int], of kept: [Int]) -> Bool {
    let missing = shown.count - kept.count
    let all = (kept + Array(repeating: 0, count: max(0, missing))).sorted()
    if missing >= 0 { return shown.sorted() == all }
    // Some of them were removed.
    var left = all
    for mark in shown {
      guard let place = left.firstIndex(of: mark) else { return false }
      left.remove(at: place)
    }
    return true
  }

  @Test(arguments: Source.allCases, seeds(3))
  func `rows keep what is theirs, and no other`(source: Source, seed: UInt64) throws {
    let nodes = ReactiveGraph.liveNodes, edges = ReactiveGraph.liveEdges
    try run(source, seed)
    #expect((ReactiveGraph.liveNodes, ReactiveGraph.liveEdges) == (nodes, edges))
  }

  private func run(_ source: Source, _ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let (store, notes) = try notes(12)
    let box = Box(), values = Signal<[Int]>([]), limit = Signal(2)
    try store.add(box)
    let app = try TestHost(store) {
      Screen(source: source, box: box, values: values, limit: limit)
    }
    var marks: [Int: [Int]] = [:]
    var frame = app.host.frame
    let screen = try #require(frame.elements(of: frame.root).first?.scope)
    let list = try #require(frame.elements(of: screen).first?.scope)
    var rows = frame.rows(of: list).map(Array.init) ?? []
    for step in 0..<Self.steps / 8 {
      let numbers = (0..<Int.random(in: 0..<9, using: &random)).map { _ in
        Int.random(in: 0..<12, using: &random)
      }
      switch source {
      case .list: try change(box, notes, numbers, &random)
      case .values: values.value = numbers
      case .results, .narrowed:
        // One frame: what is gone for a moment has lost its state.
        try batch {
          limit.value = Int.random(in: 1..<7, using: &random)
          try store.write {
            for number in numbers {
              notes[number].rank = Int.random(in: 0..<20, using: &random)
              if Bool.random(using: &random) { try toggle(notes[number], in: store) }
            }
          }
        }
      }
      let shown: [Int] =
        switch source {
        case .list: box.notes.map(\.number)
        case .values: numbers
        case .results: store.results(Note.self).sorted(by: \.rank).map(\.number)
        case .narrowed:
          store.results(Note.self).sorted(by: \.rank).filter { $0.rank < limit.value * 3 }
            .map(\.number)
        }
      let present = Self.marks(app.text)
      let numbersOnScreen = Dictionary(grouping: shown, by: \.self).mapValues(\.count)
      guard present.mapValues(\.count) == numbersOnScreen,
        present.allSatisfy({ Self.areKept($1, of: marks[$0] ?? []) })
      else {
        Issue.record(
          "seed \(seed), \(source), step \(step):\n\(app.text)\nnot \(shown), of \(marks)")
        return
      }
      marks = present
      if let number = shown.randomElement(using: &random), marks[number]?.count == 1 {
        try app.tap("\(number)")
        marks[number]?[0] += 1
      }
      let old = try #require(frame.rows(of: list))
      frame = app.host.frame
      let new = try #require(frame.rows(of: list))
      new.change(from: old).apply(to: &rows)
      guard rows == Array(new) else {
        Issue.record("seed \(seed), \(source), step \(step): \(rows), not \(Array(new))")
        return
      }
      var left = marks
      let expected = shown.map { "[\($0): \(left[$0]?.removeFirst() ?? -1)]" }
      guard app.text == expected.joined(separator: "\n") else {
        Issue.record("seed \(seed), \(source), step \(step):\n\(app.text)\nnot\n\(expected)")
        return
      }
    }
  }

  private func change(
    _ box: Box, _ notes: [Note], _ numbers: [Int], _ random: inout SeededRandom
  ) throws {
    try box.write {
      for number in numbers {
        let count = box.notes.count
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where count > 0: box.notes.remove(at: Int.random(in: 0..<count, using: &random))
        case 1 where count > 1: box.notes.swapAt(0, count - 1)
        default:
          box.notes.insert(notes[number], at: Int.random(in: 0...count, using: &random))
        }
      }
    }
  }

  private func toggle(_ note: Note, in store: Store) throws {
    if note.isDeleted { try store.add(note) } else { try store.delete(note) }
  }
}
