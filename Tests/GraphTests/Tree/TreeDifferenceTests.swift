import Signals
import TestSupport
import Testing

/// What a difference finds, and what it costs.
@Suite struct `Tree, difference` {
  @Test func `a version does not differ from itself`() {
    let tree = Tree(0..<1_000)
    #expect(Tree.difference(from: tree, to: tree) { _, _ in fatalError("no need to ask") } == [])
    #expect(Tree.difference(from: Tree<Int>(), to: Tree<Int>(), isSame: ==) == [])
  }

  @Test func `an empty version differs in everything`() {
    let (none, some) = (Tree<Int>(), Tree(0..<1_000))
    let (nothing, everything) = (0..<0, 0..<1_000)
    #expect(
      Tree.difference(from: none, to: some, isSame: ==)
        == [TreeEdit(oldRange: nothing, newRange: everything)])
    #expect(
      Tree.difference(from: some, to: none, isSame: ==)
        == [TreeEdit(oldRange: everything, newRange: nothing)])
  }

  @Test func `one edit in 100,000 elements is found by comparing one leaf`() {
    let old = Tree(0..<100_000)
    for index in stride(from: 0, to: 100_000, by: 4_999) {
      var new = old
      new.insert(-1, at: index)
      let insertion = TreeEdit(oldRange: index..<index, newRange: index..<index + 1)
      #expect(difference(old, new, atMost: 140) == [insertion])

      new = old
      new.remove(at: index)
      let removal = TreeEdit(oldRange: index..<index + 1, newRange: index..<index)
      #expect(difference(old, new, atMost: 140) == [removal])

      new = old
      new.replace(at: index, with: -1)
      let exchange = TreeEdit(oldRange: index..<index + 1, newRange: index..<index + 1)
      #expect(difference(old, new, atMost: 140) == [exchange])
    }
  }

  @Test func `edits far apart are found one by one`() {
    let old = Tree(0..<100_000)
    var new = old
    new.insert(-1, at: 90_000)
    new.remove(at: 50_000)
    new.replace(at: 100, with: -1)
    new.replace(at: 104, with: -1)
    #expect(
      difference(old, new, atMost: 600) == [
        TreeEdit(oldRange: 100..<101, newRange: 100..<101),
        TreeEdit(oldRange: 104..<105, newRange: 104..<105),
        TreeEdit(oldRange: 50_000..<50_001, newRange: 50_000..<50_000),
        TreeEdit(oldRange: 90_000..<90_000, newRange: 89_999..<90_000),
      ])
  }

  @Test func `nodes are found again after a large part was cut out or put in`() {
    let old = Tree(0..<100_000)
    var new = old
    new.replaceSubrange(20_000..<79_000, with: [])
    let (cut, gap) = (20_000..<79_000, 20_000..<20_000)
    #expect(difference(old, new, atMost: 400) == [TreeEdit(oldRange: cut, newRange: gap)])
    #expect(difference(new, old, atMost: 400) == [TreeEdit(oldRange: gap, newRange: cut)])
  }

  @Test func `nodes are found again in a tree of another height`() {
    let old = Tree(0..<63 * 31 * 31)
    var new = old
    new.insert(-1, at: 700)
    #expect(
      difference(old, new, atMost: 140) == [TreeEdit(oldRange: 700..<700, newRange: 700..<701)])
    new = old
    new.replaceSubrange(130..<60_000, with: [])
    #expect(
      difference(old, new, atMost: 400)
        == [TreeEdit(oldRange: 130..<60_000, newRange: 130..<130)])
  }

  @Test func `versions that share nothing are compared element by element`() {
    let numbers = Array(0..<5_000)
    var others = numbers
    others[77] = -1
    others.insert(-2, at: 3_000)
    let (old, new) = (Tree(numbers), Tree(others))
    let edits = checkDifference(from: old, numbers, to: new, others, "unshared")
    #expect(edits.count == 2)
  }

  @Test func `an edit among equal elements is exact`() {
    let old = Tree(Array(repeating: 1, count: 1_000))
    var new = old
    new.replaceSubrange(300..<310, with: Array(repeating: 1, count: 25))
    let (before, after) = (Array(old), Array(new))
    let edits = checkDifference(from: old, before, to: new, after, "equal elements")
    #expect(edits.map(\.newRange.count) == [15])
  }

  /// The difference of two trees, which may compare elements only so often.
  private func difference(
    _ old: Tree<Int>, _ new: Tree<Int>, atMost limit: Int,
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> [TreeEdit] {
    var comparisons = 0
    let edits = Tree.difference(from: old, to: new) {
      comparisons += 1
      return $0 == $1
    }
    #expect(comparisons <= limit, sourceLocation: sourceLocation)
    return edits
  }
}
