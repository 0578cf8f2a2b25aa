import Signals
import SignalsSync
import TestSupport
import Testing

@Suite("Histories of stores in files")
struct StoreFileHistoryTests {
  private static let seeds = (0..<runLength(usually: 60)).map { firstSeed + UInt64($0) }

  @Test(arguments: seeds)
  func `A store that is opened again is unchanged`(seed: UInt64) async throws {
    var edits = RandomEdits(seed: seed)
    let files = SimulatedFiles()
    var before: [String] = []
    for run in 0..<5 {
      let file = try StoreFile(
        at: "/store", interval: .seconds(3600), smallestTail: 500, files: files)
      #expect(file.store.contents == before, "seed \(seed), run \(run)")
      #expect(file.store.brokenInvariants() == [], "seed \(seed), run \(run)")
      for _ in 0..<edits.number(below: 60) {
        if edits.number(below: 3) == 0 {
          try edits.write(file.store)
        } else {
          try edits.edit(file.store)
        }
      }
      before = file.store.contents
      #expect(file.problem == nil, "seed \(seed), run \(run)")
      try await file.close()
    }
  }

  @Test(arguments: seeds)
  func `After a crash the store is as after one of the last commits`(seed: UInt64) async throws {
    var edits = RandomEdits(seed: seed &* 31)
    var files = SimulatedFiles()
    var possible: [[String]] = [[]]
    for run in 0..<5 {
      let file = try StoreFile(
        at: "/store", interval: .seconds(3600), smallestTail: 500, files: files)
      let found = file.store.contents
      let isKnown = possible.contains(found)
      #expect(isKnown, "seed \(seed), run \(run): found \(found)")
      possible = [found]
      for _ in 0..<edits.number(below: 60) {
        try edits.edit(file.store)
        possible.append(file.store.contents)
        if edits.number(below: 8) == 0 {
          try file.blockingFlush()
          possible = [file.store.contents]
        }
      }
      if edits.number(below: 2) == 0 {
        files = files.afterKill()
      } else {
        files = files.afterLossOfPower(&edits.random)
      }
    }
  }

  @Test(arguments: seeds)
  func `A crash at any call leaves one of the last commits`(seed: UInt64) async throws {
    var edits = RandomEdits(seed: seed &* 77)
    let files = SimulatedFiles()
    var possible: [[String]] = [[]]
    var plan = SimulatedFiles.Plan()
    plan.crash = edits.number(below: 60)
    plan.tear = edits.number(below: 40)
    files.setPlan(plan)
    if let file = try? StoreFile(
      at: "/store", interval: .seconds(3600), smallestTail: 300, files: files)
    {
      for _ in 0..<80 {
        try edits.edit(file.store)
        possible.append(file.store.contents)
        if edits.number(below: 4) == 0, (try? file.blockingFlush()) != nil {
          possible = [file.store.contents]
        }
      }
    }
    let found = try StoreFile(
      at: "/store", interval: .seconds(3600), smallestTail: 300,
      files: files.afterLossOfPower(&edits.random))
    let isKnown = possible.contains(found.store.contents)
    #expect(isKnown, "seed \(seed): found \(found.store.contents)")
  }
}
