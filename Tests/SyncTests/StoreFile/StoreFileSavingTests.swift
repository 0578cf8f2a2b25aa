import Foundation
import Signals
import SignalsSync
import SignalsTesting
import Synchronization
import TestSupport
import Testing

@Suite("Stores in files after errors of the device")
struct StoreFileSavingTests {
  @Test(.timeLimit(.minutes(1)), arguments: [true, false])
  func `After an error of the device, a flush or a commit writes another file`(isFlush: Bool)
    async throws
  {
    var chance = SeededRandom(seed: firstSeed)
    let files = SimulatedFiles()
    let file = try open(files)
    let page = Page()
    try file.write { try file.store.add(page) }
    let before = files.state.withLock { $0.names["/store/store.log"] }
    for number in 1...3 {
      files.setPlan(.init(syncError: EIO))
      #expect(throws: StoreFileError.self) { try file.write { page.size = number } }
      files.setPlan(.init())
      if isFlush { try file.blockingFlush() } else { for _ in 0..<4 { page.visits += 1 } }
      while file.problem != nil { await Task.yield() }
      try await file.flush()
      let left = try open(files.afterLossOfPower(&chance))
      #expect(left.store.contents == file.store.contents, "seed \(firstSeed)")
    }
    #expect(files.state.withLock { $0.names["/store/store.log"] } != before)
    try file.write { try file.store.add(Note()) }
    try await file.close()
    #expect(try open(files).store.contents == file.store.contents)
  }

  @Test func `One error of the device is over when the flush that meets it returns`() throws {
    // The file is synced first; the two of the other file, and the directory, follow.
    for failing in 1...4 {
      let left = Mutex(0)
      let holder = Mutex<SimulatedFiles?>(nil)
      let files = SimulatedFiles(beforeSync: {
        let next = left.withLock { left in
          left -= 1
          return left
        }
        holder.withLock { $0?.setPlan(.init(syncError: next == 0 ? EIO : nil)) }
      })
      holder.withLock { $0 = files }
      let file = try open(files)
      try file.write { try file.store.add(Page()) }
      left.withLock { $0 = failing }
      try file.write { try file.store.add(Page()) }
      try file.blockingFlush()
      var chance = SeededRandom(seed: firstSeed)
      let found = try open(files.afterLossOfPower(&chance))
      #expect(found.store.contents == file.store.contents, "fsync \(failing), seed \(firstSeed)")
      holder.withLock { $0 = nil }
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `Names that may be lost are those of another file afterwards`() async throws {
    var chance = SeededRandom(seed: firstSeed)
    let files = SimulatedFiles()
    let file = try open(files)
    files.setPlan(.init(directorySyncError: EIO))
    #expect(throws: StoreFileError.self) { try file.write { try file.store.add(Page()) } }
    files.setPlan(.init())
    try file.write { try file.store.add(Page()) }
    for _ in 0..<20 {
      let left = try open(files.afterLossOfPower(&chance))
      #expect(left.store.contents == file.store.contents, "seed \(firstSeed)")
    }
  }

  @Test func `A crash while another file is written leaves one of the last commits`() throws {
    var chance = SeededRandom(seed: firstSeed)
    var (calls, isDone) = (0, false)
    while !isDone {
      let files = SimulatedFiles()
      let file = try open(files)
      try file.write { try file.store.add(Page()) }
      var possible = [file.store.contents]
      files.setPlan(.init(syncError: EIO))
      #expect(throws: StoreFileError.self) { try file.write { try file.store.add(Page()) } }
      possible.append(file.store.contents)
      try file.store.add(Page())
      var plan = SimulatedFiles.Plan()
      plan.crash = files.calls + calls
      files.setPlan(plan)
      if (try? file.blockingFlush()) != nil { (possible, isDone) = ([], true) }
      possible.append(file.store.contents)
      for _ in 0..<8 {
        let found = try open(files.afterLossOfPower(&chance)).store
        #expect(possible.contains(found.contents), "seed \(firstSeed), call \(calls)")
      }
      calls += 1
    }
    #expect(calls > 4)
  }

  @Test func `A store is saved elsewhere, whatever state its file is in`() async throws {
    var edits = RandomEdits(seed: firstSeed)
    let (files, others) = (SimulatedFiles(), SimulatedFiles())
    let file = try open(files)
    for _ in 0..<40 { try edits.edit(file.store) }
    try file.save(to: "/copy", files: others)
    let first = file.store.contents
    #expect(try open(others.afterLossOfPower(&edits.random), at: "/copy").store.contents == first)
    files.setPlan(.init(syncError: EIO))
    #expect(throws: StoreFileError.self) { try file.write { try file.store.add(Page()) } }
    try file.save(to: "/second", files: others)
    let second = try open(others, at: "/second")
    #expect(second.store.contents == file.store.contents)
    try second.write { try second.store.add(Note()) }
    #expect(second.store.contents.count == file.store.contents.count + 1)
    // An existing store isn't replaced.
    let error = #expect(throws: StoreFileError.self) { try file.save(to: "/copy", files: others) }
    guard case .exists("/copy")? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    try? await file.close()
    try file.save(to: "/third", files: others)
    #expect(try open(others, at: "/copy").store.contents == first)
    #expect(try open(others, at: "/third").store.contents == file.store.contents)
  }
}
