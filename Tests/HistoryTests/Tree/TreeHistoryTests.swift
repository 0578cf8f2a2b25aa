import Signals
import SignalsTesting
import TestSupport
import Testing

/// Random histories of a tree, checked against an array at each step.
@Suite struct `Tree, random histories` {
  @Test(arguments: [0, 1, 100, 3_000, 10_000])
  func `a tree holds what an array would hold`(size: Int) {
    let seed = UInt64(size) &+ 1
    var random = SeededRandom(seed: seed)
    var model = (0..<size).map { $0 }
    var tree = Tree(model)
    for step in 0..<historySteps {
      change(&tree, &model, number: size + step, using: &random)
      check(tree, model, "seed \(seed), step \(step)")
    }
  }

  @Test func `a tree that shrinks and grows again stays well formed`() {
    let seed: UInt64 = 77
    var random = SeededRandom(seed: seed)
    var model = Array(0..<6_000)
    var tree = Tree(model)
    while !model.isEmpty {
      let index = Int.random(in: 0..<model.count, using: &random)
      #expect(tree.remove(at: index) == model.remove(at: index), "seed \(seed)")
      if model.count % 97 == 0 { check(tree, model, "seed \(seed), shrinking") }
    }
    #expect(tree.isEmpty)
    while model.count < 6_000 {
      let index = Int.random(in: 0...model.count, using: &random)
      tree.insert(model.count, at: index)
      model.insert(model.count, at: index)
      if model.count % 97 == 0 { check(tree, model, "seed \(seed), growing") }
    }
  }

  @Test func `a copy does not see later edits`() {
    let seed: UInt64 = 5
    var random = SeededRandom(seed: seed)
    var model = Array(0..<2_000)
    var tree = Tree(model)
    var kept: [(tree: Tree<Int>, model: [Int])] = []
    for step in 0..<historySteps {
      if step % 7 == 0 { kept.append((tree, model)) }
      change(&tree, &model, number: step, using: &random)
      check(tree, model, "seed \(seed), step \(step)")
      if kept.count > 20 { kept.remove(at: Int.random(in: 0..<20, using: &random)) }
    }
    for (step, version) in kept.enumerated() {
      check(version.tree, version.model, "seed \(seed), kept \(step)")
    }
  }

  @Test func `a difference leads from any version to any other`() {
    let seed: UInt64 = 9
    var random = SeededRandom(seed: seed)
    var model = Array(0..<5_000)
    var tree = Tree(model)
    for step in 0..<historySteps {
      let (oldTree, oldModel) = (tree, model)
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        change(&tree, &model, number: step, using: &random)
      }
      checkDifference(from: oldTree, oldModel, to: tree, model, "seed \(seed), step \(step)")
      checkDifference(from: tree, model, to: oldTree, oldModel, "seed \(seed), back \(step)")
    }
  }

  /// Makes one random edit to a tree and to its model.
  private func change(
    _ tree: inout Tree<Int>, _ model: inout [Int], number: Int,
    using random: inout SeededRandom
  ) {
    let index = Int.random(in: 0...model.count, using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<3:
      tree.insert(number, at: index)
      model.insert(number, at: index)
    case 3..<5 where index < model.count:
      #expect(tree.remove(at: index) == model.remove(at: index))
    case 5 where index < model.count:
      let old = model[index]
      model[index] = number
      #expect(tree.replace(at: index, with: number) == old)
    case 6:
      tree.append(number)
      model.append(number)
    default:
      // Mostly small ranges, at times large ones, so that the size goes up and down.
      let most = [2, 20, 200, model.count].randomElement(using: &random) ?? 0
      let end = Int.random(in: index...min(model.count, index + most), using: &random)
      let count = Int.random(
        in: 0...[2, 20, 200, 2_000].randomElement(using: &random)!, using: &random)
      let new = Array(repeating: number, count: count)
      tree.replaceSubrange(index..<end, with: new)
      model.replaceSubrange(index..<end, with: new)
    }
  }
}
