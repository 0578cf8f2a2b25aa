import SignalsSync
import TestSupport
import Testing

@Suite("States of shared lists")
struct PositionsStateTests {
  typealias Positions = ListPositions<Int>

  private static func id(_ counter: UInt64, of replica: UInt64 = 1) -> ElementID {
    ElementID(replica: replica, counter: counter)
  }

  private static func bunch(
    _ first: ElementID, _ count: Int = 1, at place: ListPlace, _ kind: ListBunch.Kind = .elements
  ) -> ListBunch {
    ListBunch(ids: ElementRange(first: first, count: count), place: place, kind: kind)
  }

  /// Three elements and a position, and what is damaged in the state.
  private func refusal(_ damage: (inout ListState<Int>) -> Void) -> PositionsError? {
    var state = ListState<Int>()
    state.bunches = [
      Self.bunch(Self.id(0), 3, at: .start),
      Self.bunch(Self.id(0, of: 2), 2, at: .before(Self.id(2)), .positions),
    ]
    state.moves = [ListMove(element: Self.id(0), position: Self.id(0, of: 2), stamp: 5)]
    state.deleted = [ElementRange(first: Self.id(1), count: 1)]
    damage(&state)
    do throws(PositionsError) {
      #expect(try Positions(state).state == state)
      return nil
    } catch {
      return error
    }
  }

  @Test("a state gives the list back")
  func roundTrip() throws {
    #expect(refusal { _ in } == nil)
    #expect(try Positions(ListState()).count == 0)
  }

  @Test("a bunch that is empty, too long or past the counters is refused")
  func ranges() {
    for count in [0, -1, Int.min, Int.max, Int(Int32.max) + 1] {
      let range = ElementRange(first: Self.id(0), count: count)
      #expect(refusal { $0.bunches[0].ids.count = count } == .invalidRange(range))
      #expect(refusal { $0.deleted[0] = range } == .invalidRange(range))
    }
    let range = ElementRange(first: Self.id(UInt64.max - 2), count: 3)
    #expect(refusal { $0.bunches[0].ids = range } == .invalidRange(range))
    #expect(refusal { $0.deleted[0] = range } == .invalidRange(range))
  }

  @Test("a list of more positions than there can be is refused")
  func tooLong() {
    let error = refusal {
      $0.bunches.append(Self.bunch(Self.id(0, of: 3), Int(Int32.max) - 4, at: .start))
    }
    #expect(error == .tooLong)
    let longest = refusal {
      $0.bunches.append(Self.bunch(Self.id(0, of: 3), Int(Int32.max) - 5, at: .start))
    }
    #expect(longest == nil)
  }

  @Test("an operation that inserts more elements than fit into a change set is refused")
  func mostInserted() throws {
    var positions = Positions()
    let most = ListOperation<Int>.mostInserted
    let more = ElementRange(first: Self.id(0), count: most + 1)
    #expect(throws: PositionsError.invalidRange(more)) {
      try positions.apply(.insert(more, at: .start))
    }
    #expect(positions.count == 0)
    _ = try positions.apply(.insert(ElementRange(first: Self.id(0), count: most), at: .start))
    #expect(positions.count == most)
  }

  @Test("bunches that overlap, go round or hang in the air are refused")
  func tree() {
    #expect(
      refusal { $0.bunches.insert(Self.bunch(Self.id(2), at: .start), at: 1) }
        == .alreadyUsed(Self.id(2)))
    #expect(refusal { $0.bunches[0].place = .after(Self.id(1)) } == .cycle(Self.id(0)))
    #expect(refusal { $0.bunches[0].place = .before(Self.id(1, of: 2)) } == .cycle(Self.id(0)))
    for missing in [Self.id(3), Self.id(0, of: 0), Self.id(2, of: 2), Self.id(.max, of: .max)] {
      #expect(refusal { $0.bunches[1].place = .after(missing) } == .missing(missing))
    }
  }

  @Test("parts that are not in order, or split, are refused")
  func canonical() {
    #expect(refusal { $0.bunches.swapAt(0, 1) } == .notCanonical(Self.id(0)))
    #expect(refusal { $0.bunches.append($0.bunches[1]) } == .notCanonical(Self.id(0, of: 2)))
    let split = refusal {
      $0.bunches[0].ids.count = 2
      $0.bunches.insert(Self.bunch(Self.id(2), at: .after(Self.id(1))), at: 1)
    }
    #expect(split == .notCanonical(Self.id(2)))
    #expect(
      refusal { $0.deleted.append(ElementRange(first: Self.id(2), count: 1)) }
        == .notCanonical(Self.id(2)))
    #expect(refusal { $0.deleted += $0.deleted } == .notCanonical(Self.id(1)))
    #expect(refusal { $0.moves += $0.moves } == .notCanonical(Self.id(0)))
  }

  @Test("moves and deletions of what is not an element are refused")
  func kinds() {
    let position = Self.id(1, of: 2)
    #expect(refusal { $0.moves[0].element = position } == .wrongKind(position))
    #expect(refusal { $0.moves[0].element = Self.id(7) } == .missing(Self.id(7)))
    #expect(refusal { $0.moves[0].position = Self.id(2) } == .wrongKind(Self.id(2)))
    #expect(refusal { $0.moves[0].position = Self.id(7) } == .missing(Self.id(7)))
    #expect(refusal { $0.moves[0].element = Self.id(1) } == .positionOfDeleted(Self.id(1)))
    let twice = refusal {
      $0.moves.append(ListMove(element: Self.id(2), position: Self.id(0, of: 2), stamp: 6))
    }
    #expect(twice == .positionOfTwo(Self.id(0, of: 2)))
    let range = ElementRange(first: Self.id(0, of: 2), count: 1)
    #expect(refusal { $0.deleted = [range] } == .wrongKind(range.first))
    let beyond = ElementRange(first: Self.id(2), count: 2)
    #expect(refusal { $0.deleted = [beyond] } == .missing(Self.id(3)))
  }

  @Test("a damaged state is refused or is that of a list")
  func damagedStates() throws {
    let states = try (0..<40).map { seed in
      var history = RandomHistory(seed: firstSeed + UInt64(seed))
      try history.run(steps: 40)
      try history.checkConvergence()
      return history.replicas[0].positions.state
    }
    var refused = 0
    var random = SeededGenerator(seed: firstSeed)
    // All of them in optimized builds.
    let count = historyCount(usually: 20_000)
    for number in 0..<count {
      var state = states[number % states.count]
      for _ in 0..<Int.random(in: 1...3, using: &random) { state.damage(using: &random) }
      do throws(PositionsError) {
        let positions = try Positions(state)
        let replica = ListReplica(20, of: positions)
        replica.check("damage \(number)")
        if positions.state != state { Issue.record("damage \(number) was changed: \(state)") }
      } catch {
        refused += 1
      }
    }
    #expect(refused > count / 3)
  }

  @Test("any operation is applied, refused or waits, and a refused one changes nothing")
  func damagedOperations() throws {
    var random = SeededGenerator(seed: firstSeed)
    for seed in 0..<historyCount(usually: 300) {
      var history = RandomHistory(seed: UInt64(seed))
      try history.run(steps: 20)
      var positions = history.replicas[0].positions
      for _ in 0..<10 {
        let before = positions.state
        let operation = ListOperation<Int>.any(in: before, using: &random)
        do throws(PositionsError) {
          _ = try positions.apply(operation)
          #expect(try positions.apply(operation) == [], "seed \(seed): \(operation)")
        } catch {
          #expect(positions.state == before, "seed \(seed): \(operation)")
        }
        ListReplica(20, of: positions).check("seed \(seed): \(operation)")
      }
      let state = positions.state
      #expect(try Positions(state).state == state, "seed \(seed)")
    }
  }
}
