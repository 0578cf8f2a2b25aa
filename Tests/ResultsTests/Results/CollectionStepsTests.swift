import Signals
import SignalsTesting
import TestSupport
import Testing

/// A change as edits, one after the other.
@Suite struct `Steps of a change` {
  @Test func `each step has the positions of its time`() {
    let old = ["a", "b", "c", "d"]
    let change = CollectionChange(from: old, to: ["d", "x", "a", "c"])
    #expect(applied(change, to: old) == ["d", "x", "a", "c"])
    #expect(change.steps == [.remove(at: 1), .move(from: 2, to: 0), .insert("x", at: 1)])
  }

  @Test func `what was modified comes last, at its new position, also if it moved`() throws {
    let store = Store()
    let tales = try store.addTales(0..<4)
    let rows = store.results(Tale.self).sorted(by: \.pages)
    var steps: [CollectionChange<Tale>.Step] = []
    let token = rows.observe { steps = $0.steps }
    try store.write {
      tales[0].pages = 9
      tales[2].title = "x"
    }
    #expect(steps == [.move(from: 0, to: 3), .modify(at: 1), .modify(at: 3)])
    token.cancel()
  }

  @Test func `a parallel array is brought along, and what stayed is kept`() {
    let old = [1, 2, 3, 4]
    let change = CollectionChange(from: old, to: [4, 5, 1])
    var (labels, made) = (["1", "2", "3", "4"], [Int]())
    change.apply(to: &labels) { number in
      made.append(number)
      return "new \(number)"
    }
    #expect(labels == ["4", "new 5", "1"] && made == [5])
  }

  @Test func `nothing is made if making one fails`() {
    struct Failed: Error {}
    var labels = ["1"]
    #expect(throws: Failed.self) {
      try CollectionChange(from: [1], to: [2, 1]).apply(to: &labels) { _ in throw Failed() }
    }
    #expect(labels == ["1"])
  }

  @Test(arguments: firstSeed...(firstSeed + 3))
  func `any arrays are led into each other, with duplicates too`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for round in 0..<runLength(usually: 400) {
      let kinds = Int.random(in: 1...30, using: &random)
      func array() -> [Int] {
        (0..<Int.random(in: 0...24, using: &random)).map { _ in
          Int.random(in: 0..<kinds, using: &random)
        }
      }
      let old = array()
      let new = round % 3 == 0 ? old.shuffled(using: &random) : array()
      check(old, new, "seed \(seed), round \(round)")
    }
  }

  @Test func `ten thousand rows are led into others`() {
    var random = SeededRandom(seed: 3)
    let old = Array(0..<10_000)
    check(old, old.shuffled(using: &random), "shuffled")
    check(old, old.reversed(), "reversed")
    check(old, Array(old[5000...] + old[..<5000]), "turned")
    check(old, (0..<10_000).map { _ in Int.random(in: 0..<20_000, using: &random) }, "random")
  }

  private func check(_ old: [Int], _ new: [Int], _ what: String) {
    let change = CollectionChange(from: old, to: new)
    let steps = change.steps
    if applied(change, to: old) != new { Issue.record("\(what): \(old) to \(new)") }
    if steps.count > change.deletions.count + change.insertions.count + change.moves.count {
      Issue.record("\(what): too many steps")
    }
    // What stands for members that stay is kept.
    var tokens = old.map { Token(number: $0) }
    let before = Dictionary(grouping: tokens, by: \.number)
    change.apply(to: &tokens) { Token(number: $0) }
    if tokens.map(\.number) != new { Issue.record("\(what): a parallel array") }
    let kept = tokens.count { token in before[token.number]?.contains { $0 === token } ?? false }
    if kept != old.count - change.deletions.count { Issue.record("\(what): what is kept") }
  }

  private final class Token {
    let number: Int
    init(number: Int) { self.number = number }
  }

  private func applied<Member>(_ change: CollectionChange<Member>, to old: [Member]) -> [Member] {
    var array = old
    for step in change.steps {
      switch step {
      case .remove(let position): array.remove(at: position)
      case .insert(let member, let position): array.insert(member, at: position)
      case .move(let from, let to): array.insert(array.remove(at: from), at: to)
      case .modify: break
      }
    }
    return array
  }
}
