import Signals
import SignalsTesting
import TestSupport
import Testing

/// What each operation of a tree does, by itself.
@Suite struct `Tree, one by one` {
  @Test func `an empty tree has nothing`() {
    let tree = Tree<Int>()
    check(tree, [], "empty")
    #expect(tree.lowerBound { _ in true } == 0)
    #expect(tree.isIdentical(to: Tree([])))
    tree.forEach(in: 0..<0) { _ in Issue.record("there is no element") }
  }

  @Test func `a tree of one element can lose it and get another`() {
    var tree = Tree([7])
    check(tree, [7], "one")
    #expect(tree.remove(at: 0) == 7)
    check(tree, [], "none")
    tree.append(8)
    #expect(tree.replace(at: 0, with: 9) == 8)
    check(tree, [9], "another")
  }

  @Test(arguments: [2, 62, 63, 64, 65, 126, 127, 1_952, 1_953, 1_954, 2_000, 60_544, 100_000])
  func `a tree is built in order at any size`(size: Int) {
    let tree = Tree(0..<size)
    check(tree, Array(0..<size), "size \(size)")
    #expect([0, size / 3, size - 1].allSatisfy { tree[$0] == $0 })
  }

  @Test func `elements can be added one by one at either end`() {
    var (front, back) = (Tree<Int>(), Tree<Int>())
    for number in 0..<10_000 {
      front.insert(number, at: 0)
      back.append(number)
    }
    check(front, (0..<10_000).reversed(), "front")
    check(back, Array(0..<10_000), "back")
  }

  @Test func `a copy is identical until one of both is edited`() {
    var tree = Tree(0..<100)
    let copy = tree
    #expect(tree.isIdentical(to: copy))
    tree.replace(at: 50, with: 0)
    #expect(!tree.isIdentical(to: copy))
    #expect(copy[50] == 50)
  }

  @Test func `the lower bound is found among duplicates`() {
    let numbers = (0..<3_000).map { $0 / 100 * 2 }
    let tree = Tree(numbers)
    for key in -1...61 {
      let expected = numbers.count { $0 < key }
      #expect(tree.lowerBound { $0 < key } == expected, "key \(key)")
    }
    #expect(tree.lowerBound { _ in true } == 3_000)
    #expect(tree.lowerBound { _ in false } == 0)
  }

  @Test func `the lower bound asks for few of 100,000 elements`() {
    let tree = Tree(0..<100_000)
    for key in stride(from: 0, through: 100_000, by: 997) {
      var calls = 0
      let bound = tree.lowerBound {
        calls += 1
        return $0 < key
      }
      #expect(bound == key)
      #expect(calls <= 24)
    }
  }

  @Test func `a tree kept sorted by lower bounds is sorted`() {
    var random = SeededRandom(seed: 3)
    var tree = Tree<Int>()
    var numbers: [Int] = []
    for _ in 0..<3_000 {
      let number = Int.random(in: 0..<500, using: &random)
      tree.insert(number, at: tree.lowerBound { $0 < number })
      numbers.append(number)
    }
    check(tree, numbers.sorted(), "seed 3")
  }

  @Test func `an iterator starts anywhere and holds its version`() {
    var tree = Tree(0..<1_000)
    for start in stride(from: 0, through: 1_000, by: 37) {
      let rest = Array(IteratorSequence(tree.makeIterator(from: start)))
      #expect(rest == Array(start..<1_000), "start \(start)")
    }
    var iterator = tree.makeIterator()
    #expect(iterator.next() == 0)
    tree.replaceSubrange(0..<1_000, with: [])
    #expect(Array(IteratorSequence(iterator)) == Array(1..<1_000))
  }

  @Test func `an iterator that has ended stays at the end`() {
    var iterator = Tree([1]).makeIterator()
    #expect(iterator.next() == 1)
    #expect(iterator.next() == nil)
    #expect(iterator.next() == nil)
  }

  @Test func `a function is called for the elements of a range, until it throws`() {
    struct Stop: Error {}
    let tree = Tree(0..<1_000)
    for range in [0..<0, 0..<1, 5..<70, 62..<64, 63..<126, 500..<500, 0..<1_000, 999..<1_000] {
      var seen: [Int] = []
      tree.forEach(in: range) { seen.append($0) }
      #expect(seen == Array(range))
    }
    var last = 0
    #expect(throws: Stop.self) {
      try tree.forEach(in: 10..<900) {
        last = $0
        if $0 == 200 { throw Stop() }
      }
    }
    #expect(last == 200)
  }

  @Test(arguments: [0, 1, 64, 130, 2_500])
  func `a range of any size is replaced by elements of any number`(size: Int) {
    let places = [0, 1, 32, 63, 64, 1_000, size / 2, size - 1, size]
    let valid = Set(places.filter { (0...size).contains($0) }).sorted()
    let model = Array(0..<size)
    let tree = Tree(model)
    for start in valid {
      for end in valid where end >= start {
        for count in [0, 1, 40, 2_000] {
          let new = Array(repeating: -1, count: count)
          var (edited, expected) = (tree, model)
          edited.replaceSubrange(start..<end, with: new)
          expected.replaceSubrange(start..<end, with: new)
          check(edited, expected, "\(start)..<\(end) by \(count)")
        }
      }
    }
    check(tree, model, "the original")
  }

  @Test func `a version goes where its elements can go`() async {
    let tree = Tree(0..<1_000)
    let sum = await Task.detached { tree.reduce(0, +) }.value
    #expect(sum == 499_500)
  }
}
