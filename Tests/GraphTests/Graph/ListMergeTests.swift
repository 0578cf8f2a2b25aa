import Signals
import SignalsTesting
import TestSupport
import Testing

/// Two versions of a list become one.
@Suite struct `Lists, merged` {
  private func merge(_ old: String, _ new: String, _ present: String) -> String {
    String(ListEdits(from: Array(old), to: Array(new)).applied(to: Array(present)).members)
  }

  @Test func `two appends both live, the later one last`() {
    #expect(merge("ab", "aby", "abx") == "abxy")
    #expect(merge("", "y", "x") == "xy")
    #expect(merge("ab", "abyz", "abvw") == "abvwyz")
  }

  @Test func `two insertions at the beginning both live, the later one first`() {
    #expect(merge("ab", "yab", "xab") == "yxab")
    #expect(merge("ab", "yzab", "vwab") == "yzvwab")
  }

  @Test func `two insertions at one place stay together each, the later one last`() {
    #expect(merge("ab", "ayzb", "avwb") == "avwyzb")
  }

  @Test func `an append and a move both live`() {
    #expect(merge("abc", "abcy", "cab") == "caby")
    #expect(merge("abc", "cab", "abcy") == "caby")
  }

  @Test func `a removed neighbor is replaced by the nearest one that is there`() {
    #expect(merge("abcd", "abcyd", "ad") == "ayd")
    #expect(merge("abcd", "abycd", "xcd") == "xycd")
    #expect(merge("abc", "abyc", "") == "y")
    #expect(merge("abc", "yabc", "") == "y")
  }

  @Test func `a moved member that was removed stays removed, and is named`() {
    let merge = ListEdits(from: Array("abc"), to: Array("cab")).applied(to: Array("ab"))
    #expect(String(merge.members) == "ab" && merge.lost == ["c"])
    #expect(self.merge("abc", "ab", "cab") == "ab")
  }

  @Test func `a member that both moved goes where the new version has it, once`() {
    #expect(merge("abcd", "dabc", "adbc") == "dabc")
    #expect(merge("abcd", "bcda", "bacd") == "bcda")
  }

  @Test func `a member that both removed, or both inserted, counts once`() {
    #expect(merge("abc", "ac", "ac") == "ac")
    #expect(merge("ab", "ayb", "aby") == "aby")
    #expect(merge("ab", "ayyb", "aby") == "abyy")
    #expect(merge("ab", "aba", "aab") == "aaba")
  }

  @Test func `of a member that is there, two more copies both live`() {
    #expect(merge("ab", "aab", "aba") == "aaba")
    #expect(merge("aba", "ab", "abax") == "abx")
    #expect(merge("aba", "aab", "abax") == "aabx")
  }

  @Test func `edits that another version has already, change nothing`() {
    #expect(merge("mabn", "abmXn", "abmXn") == "abmXn")
    #expect(merge("aba", "ba", "ba") == "ba")
    #expect(merge("aaa", "a", "aa") == "a")
    #expect(merge("aaab", "ab", "ab") == "ab")
    #expect(merge("axbxc", "axbc", "axbc") == "axbc")
  }

  @Test func `a hundred thousand equal members are removed`() {
    let many = [Int](repeating: 7, count: 100_000)
    #expect(ListEdits(from: many, to: []).applied(to: many).members.isEmpty)
    #expect(ListEdits(from: many, to: []).applied(to: [1] + many + [2]).members == [1, 2])
  }

  @Test func `if many neighbors were removed, a member arrives between distant ones`() {
    let old = Array(0..<1_000)
    let new = Array(0...500) + [-1] + Array(501..<1_000)
    let present = Array(0..<450) + Array(550..<1_000)
    let merged = ListEdits(from: old, to: new).applied(to: present).members
    let place = merged.firstIndex(of: -1) ?? 0
    #expect(merged.count == 901)
    #expect(300..<550 ~= place, "\(place)")
  }

  @Test func `few neighbors are named, and none at the ends`() {
    let old = Array(0..<1_000)
    let runs = ListEdits(from: old, to: [-1] + Array(0..<500) + [-2] + Array(500..<1_000) + [-3])
      .runs
    #expect(runs.map(\.before.count) == [0, 5, 0])
    #expect(runs.map(\.after.count) == [1, 5, 0])
  }

  @Test(arguments: seeds(4))
  func `each member lives as the edits say, in their order`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for step in 0..<mergeSteps {
      let old = Array(0..<Int.random(in: 0...8, using: &random))
      let new = edited(old, from: 100, &random)
      let present = edited(old, from: 200, &random)
      let merge = ListEdits(from: old, to: new).applied(to: present)
      let place: Comment = "seed \(seed), step \(step): \(old) \(new) \(present)"
      let edits = CollectionChange(from: old, to: new)
      let removed = Set(old).subtracting(new)
      let expected = Set(present).union(new).subtracting(removed)
        .subtracting(Set(old).subtracting(present))
      #expect(merge.members.count == expected.count, place)
      #expect(Set(merge.members) == expected, place)
      let moved = Set(edits.moves.map { old[$0.old] })
      #expect(Set(merge.lost) == moved.subtracting(present), place)
      let arriving = moved.union(edits.inserted)
      #expect(
        merge.members.filter { !arriving.contains($0) }
          == present.filter { !arriving.contains($0) && !removed.contains($0) }, place)
      if present == old { #expect(merge.members == new, place) }
      if new == old { #expect(merge.members == present, place) }
      // What was inserted in a row stays so.
      let rows = zip(new, new.dropFirst()).filter { $0 >= 100 && $1 >= 100 }
      let result = zip(merge.members, merge.members.dropFirst()).map { [$0, $1] }
      for (one, next) in rows { #expect(result.contains([one, next]), place) }
      // Each is after the member that it follows in the new version.
      for (one, next) in zip(new, new.dropFirst()) where next >= 100 {
        guard let first = merge.members.firstIndex(of: one),
          let second = merge.members.firstIndex(of: next)
        else { continue }
        #expect(first < second, place)
      }
    }
  }

  private func edited(
    _ old: [Int], from first: Int, _ random: inout SeededRandom
  ) -> [Int] {
    var list = old
    for number in 0..<Int.random(in: 0...4, using: &random) {
      let place = Int.random(in: 0...list.count, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: list.insert(first + number, at: place)
      case 1: if place < list.count { list.remove(at: place) }
      default:
        if place < list.count {
          let member = list.remove(at: place)
          list.insert(member, at: Int.random(in: 0...list.count, using: &random))
        }
      }
    }
    return list
  }
}

private let mergeSteps = runLength(usually: 2_000)
