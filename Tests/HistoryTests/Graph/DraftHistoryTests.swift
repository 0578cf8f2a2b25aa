import Signals
import SignalsTesting
import TestSupport
import Testing

/// Random edits of a draft and of its object, committed with random decisions.
@Suite struct `Graph, random drafts` {
  @Test(arguments: seeds(4))
  func `a commit is all or nothing, leaves a forest, and the draft shows what is stored`(
    seed: UInt64
  ) throws {
    var random = SeededRandom(seed: seed)
    var (commits, refusals) = (0, 0)
    for step in 0..<draftSteps {
      let store = Store()
      let machine = Machine()
      machine.part = makePart(&random, 2)
      machine.parts = List((0..<3).map { _ in makePart(&random, 1) })
      try store.add(machine)
      let draft = store.draft(of: machine)
      let text = describe(machine)
      let objects = parts(of: machine)
      #expect(describe(draft.object) == text && !draft.isDirty)
      for _ in 0..<Int.random(in: 0..<4, using: &random) { edit(draft.object, &random) }
      let edited = describe(draft.object)
      if edited != text, !draft.isDirty { Issue.record("changed and clean: \(step)") }
      // A refused write is as good as none.
      store.onRefusal = { _ in }
      for _ in 0..<Int.random(in: 0..<4, using: &random) { edit(machine, &random) }
      let before = describe(machine)
      // Two parts that look the same may have changed places.
      let same = parts(of: machine) == objects
      var decisions = random
      do {
        try draft.commit { _ in
          [.mine, .theirs, .mine, .fail].randomElement(using: &decisions) ?? .fail
        }
        commits += 1
        #expect(describe(draft.object) == describe(machine) && !draft.isDirty, "\(step)")
        if before == text, same { #expect(describe(machine) == edited, "\(step)") }
        if edited == text { #expect(describe(machine) == before, "\(step)") }
      } catch is StoreError {
        refusals += 1
        #expect(describe(machine) == before && describe(draft.object) == edited, "\(step)")
      }
      #expect(store.brokenInvariants() == [], "seed \(seed), step \(step)")
      if describe(machine) != before {
        try store.undo()
        #expect(describe(machine) == before, "undo, seed \(seed), step \(step)")
        #expect(store.brokenInvariants() == [])
      }
      random = decisions
    }
    #expect(commits > 0 && (refusals > 0 || draftSteps < 1_000))
  }

  private func makePart(_ random: inout SeededRandom, _ depth: Int) -> Part {
    let part = Part()
    part.name = "n\(Int.random(in: 0..<9, using: &random))"
    guard depth > 0 else { return part }
    if Bool.random(using: &random) { part.part = makePart(&random, depth - 1) }
    if Bool.random(using: &random) { part.parts = [makePart(&random, depth - 1)] }
    return part
  }

  private func parts(of machine: Machine) -> [Part] {
    var all = Array(machine.parts) + [machine.part].compactMap { $0 }
    var next = 0
    while next < all.count {
      all += Array(all[next].parts) + [all[next].part].compactMap { $0 }
      next += 1
    }
    return all
  }

  private func describe(_ machine: Machine) -> String {
    func describe(_ part: Part) -> String {
      "\(part.name)(\(part.part.map(describe) ?? "-") \(part.parts.map(describe)))"
    }
    return "\(machine.name)(\(machine.part.map(describe) ?? "-") \(machine.parts.map(describe)))"
  }

  /// One edit, of a stored machine or of a draft's.
  private func edit(_ machine: Machine, _ random: inout SeededRandom) {
    let all = parts(of: machine)
    let part = all.randomElement(using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: machine.name = "m\(Int.random(in: 0..<9, using: &random))"
    case 1, 2: part?.name = "e\(Int.random(in: 0..<99, using: &random))"
    case 3: part?.part = Bool.random(using: &random) ? nil : makePart(&random, 1)
    case 4: machine.parts.append(makePart(&random, 1))
    case 5:
      if !machine.parts.isEmpty {
        machine.parts.remove(at: Int.random(in: 0..<machine.parts.count, using: &random))
      }
    case 6: machine.parts.reverse()
    default:
      // Moves a part, with what it embeds, to the end of the machine's list.
      guard let part else { return }
      _ = try? machine.write {
        for owner in all {
          if owner.part === part { owner.part = nil }
          owner.parts.remove(part)
        }
        if machine.part === part { machine.part = nil }
        machine.parts.remove(part)
        machine.parts.append(part)
      }
    }
  }
}

private let draftSteps = runLength(usually: 60)
