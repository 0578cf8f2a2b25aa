import SignalsSync
import TestSupport
import Testing

@Suite("Shared lists, exhaustively")
struct PositionsExhaustiveTests {
  /// Up to four operations: some by the first replica, then, when the others have them, some by
  /// each, unaware of the others.
  @Test("up to four operations of three replicas give the model's list in every order")
  func allOrders() throws {
    let original = try ListPositions<Int>(
      elements: ElementRange(first: ElementID(replica: 9, counter: 0), count: 2))
    var run = Run()
    for total in 1...4 {
      for first in 0...total {
        for second in 0...(total - first) {
          for third in 0...(total - first - second) {
            let fourth = total - first - second - third
            run.share = Self.share(total)
            try run.explore(original, before: first, each: [second, third, fourth])
          }
        }
      }
    }
    #expect(run.checked > 0)
  }

  /// The probability with which an edit is tried where it is possible: all in short histories.
  ///
  /// `SIGNALS_EXHAUSTIVE=100` tries all in optimized builds, which takes minutes.
  private static func share(_ operations: Int) -> Double {
    let share =
      operations < 4
      ? 100 : runLength("SIGNALS_EXHAUSTIVE", usually: _isDebugAssertConfiguration() ? 8 : 20)
    return Double(share) / (_isDebugAssertConfiguration() ? 300 : 100)
  }

  private enum Edit {
    case insert(Int, at: Int)
    case remove(Int)
    case move(Int, to: Int)

    static func all(count: Int) -> [Edit] {
      var edits = (0...count).map { Edit.insert(1, at: $0) }
      edits.append(.insert(2, at: count / 2))
      for index in 0..<count {
        edits.append(.remove(index))
        if index > 0 { edits += [.move(0, to: index), .move(index, to: 0)] }
      }
      return edits
    }
  }

  private struct Run {
    var share = 1.0
    private(set) var checked = 0
    private var random = SeededGenerator(seed: firstSeed)

    mutating func explore(
      _ original: ListPositions<Int>, before: Int, each counts: [Int]
    ) throws {
      for start in edited(ListReplica(1, of: original), times: before) {
        var others = [ListReplica(2, of: original), ListReplica(3, of: original)]
        for index in others.indices { try others[index].pull(from: start) }
        var results: [[ListReplica]] = [[]]
        for (replica, count) in zip([start] + others, counts) {
          let next = edited(replica, times: count)
          results = results.flatMap { result in next.map { result + [$0] } }
        }
        for result in results { try check(result, of: original) }
      }
    }

    /// Returns what becomes of a replica by edits one after the other.
    private mutating func edited(_ replica: ListReplica, times: Int) -> [ListReplica] {
      guard times > 0 else { return [replica] }
      var replicas: [ListReplica] = []
      for edit in Edit.all(count: replica.values.count) {
        guard Double.random(in: 0..<1, using: &random) < share else { continue }
        var next = replica
        switch edit {
        case .insert(let count, let index): next.insert(count, at: index)
        case .remove(let index): next.remove(at: index..<index + 1)
        case .move(let source, let target): next.move(from: source, to: target)
        }
        replicas += edited(next, times: times - 1)
      }
      return replicas
    }

    /// Checks one history: all orders of its operations, each sent again later.
    private mutating func check(
      _ replicas: [ListReplica], of original: ListPositions<Int>
    ) throws {
      checked += 1
      var operations: [ListOperation<Int>] = []
      for operation in replicas.flatMap(\.history) where !operations.contains(operation) {
        operations.append(operation)
      }
      let ids = original.elements(in: 0..<original.count)
      let model = ListModel(ids.map { .insert($0, at: .start) } + operations)
      let expected = model.elements
      var state: ListState<Int>?
      for order in operations.permutations {
        var replica = ListReplica(4, of: original)
        for operation in order {
          try replica.receive(operation)
          try replica.receive(order[0])
        }
        let isRight = replica.values == expected && replica.waiting.isEmpty
        let isSame = state == nil || replica.positions.state == state
        if !isRight || !isSame { Issue.record("\(order): \(replica.values), not \(expected)") }
        state = replica.positions.state
        replica.check()
      }
      if let state { #expect(try ListPositions(state).state == state) }
    }
  }
}

extension Array {
  /// All orders of the elements.
  var permutations: [[Element]] {
    guard let first else { return [[]] }
    return Array(dropFirst()).permutations.flatMap { rest in
      (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
    }
  }
}
