import SignalsSync
import Testing

/// A replica of a shared list, with the values that an application would keep: the identities.
struct ListReplica {
  typealias Operation = ListOperation<Int>

  let number: UInt64
  var positions: ListPositions<Int>
  private(set) var values: [ElementID]
  /// What has been applied, in order.
  private(set) var history: [Operation] = []
  /// What waits for others.
  private(set) var waiting: [Operation] = []
  private(set) var lost: [ListEffect<Int>] = []
  private var counter: UInt64 = 0
  private var clock = 0

  /// Creates a replica of a list that was made elsewhere.
  init(_ number: UInt64, of original: ListPositions<Int> = ListPositions()) {
    self.number = number
    positions = original
    values = original.elements(in: 0..<original.count).flatMap(\.ids)
  }

  // MARK: - Editing

  @discardableResult
  mutating func insert(_ count: Int = 1, at index: Int) -> [ElementID] {
    let range = ElementRange(first: makeIDs(count), count: count)
    values.insert(contentsOf: range.ids, at: index)
    history.append(positions.insert(count: count, at: index, first: range.first))
    return range.ids
  }

  mutating func remove(at range: Range<Int>) {
    values.removeSubrange(range)
    history += positions.remove(at: range)
  }

  mutating func move(from source: Int, to target: Int) {
    values.insert(values.remove(at: source), at: target)
    clock += 1
    history.append(
      positions.move(
        from: source, to: target, position: makeIDs(1), stamp: clock * 16 + Int(number)))
  }

  mutating func compact() { positions.compact() }

  private mutating func makeIDs(_ count: Int) -> ElementID {
    defer { counter += UInt64(count) }
    return ElementID(replica: number, counter: counter)
  }

  // MARK: - Receiving

  /// Applies an operation, or keeps it until what it names is there.
  mutating func receive(_ operation: Operation) throws {
    waiting.append(operation)
    var progress = true
    while progress {
      progress = false
      for operation in waiting where try apply(operation) {
        waiting.removeAll { $0 == operation }
        progress = true
      }
    }
  }

  private mutating func apply(_ operation: Operation) throws -> Bool {
    do {
      for effect in try positions.apply(operation) { apply(effect) }
    } catch PositionsError.missing {
      return false
    }
    history.append(operation)
    if case .move(_, _, _, let stamp) = operation { clock = max(clock, stamp / 16) }
    return true
  }

  private mutating func apply(_ effect: ListEffect<Int>) {
    switch effect {
    case .inserted(let range, at: let index): values.insert(contentsOf: range.ids, at: index)
    case .removed(let range): values.removeSubrange(range)
    case .moved(let element, from: let source, to: let target, replacing: _):
      #expect(values[source] == element)
      values.insert(values.remove(at: source), at: target)
    case .moveLost: lost.append(effect)
    }
  }

  /// Receives what another replica knows and this one does not.
  mutating func pull(from other: ListReplica) throws {
    let known = Set(history)
    for operation in other.history where !known.contains(operation) { try receive(operation) }
  }

  // MARK: - Checks

  /// Checks that the values, both directions of the index and the model agree.
  func check(
    _ comment: @autoclosure () -> Comment = "", sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let elements = positions.elements(in: 0..<positions.count).flatMap(\.ids)
    if values != elements || Set(values).count != values.count {
      Issue.record(
        "values \(values) are not \(elements). \(comment())", sourceLocation: sourceLocation)
    }
    for (index, element) in elements.enumerated()
    where positions.element(at: index) != element || positions.index(of: element) != index {
      Issue.record("wrong index of \(element). \(comment())", sourceLocation: sourceLocation)
    }
  }
}
