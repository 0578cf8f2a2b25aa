import Signals
import SignalsSync
import SignalsTesting
import TestSupport
import Testing

/// A value whose deinitialization, comparison, encoding and decoding run code of a test.
struct Meddler: Codable, Hashable, Sendable {
  enum Occasion { case creation, end, comparison, encoding, decoding }

  /// The code of the test.
  nonisolated(unsafe) private static var hook: ((Occasion) -> Void)?  // Tests run one by one.

  static func setHook(_ new: ((Occasion) -> Void)?) {
    let old = unsafe hook
    unsafe hook = new
    // Released after the change, because the release may deinitialize values.
    withExtendedLifetime(old) {}
  }

  /// Runs the code in the `init()` of an object.
  static func create() { unsafe hook?(.creation) }

  final class Box: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
    deinit { unsafe Meddler.hook?(.end) }
  }

  private let box: Box
  var number: Int { box.number }

  init(_ number: Int = 0) { box = Box(number) }

  init(from decoder: any Decoder) throws {
    unsafe Self.hook?(.decoding)
    box = Box(try decoder.singleValueContainer().decode(Int.self))
  }

  func encode(to encoder: any Encoder) throws {
    unsafe Self.hook?(.encoding)
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }

  static func == (one: Meddler, other: Meddler) -> Bool {
    unsafe hook?(.comparison)
    return one.number == other.number
  }

  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

final class Meddled: Object {
  @Field var value = Meddler()
  @Field var text = ""
  @Links var others: List<Meddled>

  required init() {
    super.init()
    Meddler.create()
  }
}

extension Store {
  var meddled: [String] {
    objectsInOrder.compactMap { $0 as? Meddled }.map { object in
      "\(object.objectID) \(object.value.number) \(object.text) \(object.others.map(\.objectID))"
    }
  }
}

@Suite("Code of the app inside of what a file does", .serialized)
struct StoreFileUserCodeTests {
  private func open(
    _ files: SimulatedFiles, limits: SizeLimits = SizeLimits()
  ) throws(StoreFileError) -> StoreFile {
    try StoreFile(
      at: "/store", interval: .seconds(3600), smallestTail: 500, limits: limits, files: files)
  }

  @Test(arguments: (0..<20).map { firstSeed + $0 })
  func `What the end of a value writes and deletes is in the file`(seed: UInt64) throws {
    defer { Meddler.setHook(nil) }
    var random = SeededRandom(seed: seed)
    func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    let files = SimulatedFiles()
    let file = try open(files)
    let store = file.store
    func some() -> Meddled? {
      store.objectsInOrder.compactMap { $0 as? Meddled }.randomElement(using: &random)
    }
    var depth = 0
    func meddle(_ occasion: Meddler.Occasion) {
      guard occasion == .end, depth < 3, number(3) > 0 else { return }
      depth += 1
      defer { depth -= 1 }
      switch number(5) {
      case 0: _ = try? store.add(Meddled())
      case 1: if let object = some() { try? store.delete(object) }
      case 2: some()?.value = Meddler(number(50))
      case 3: _ = try? store.undo()
      default: some()?.text = "by the end of a value \(number(50))"
      }
    }
    Meddler.setHook(meddle)
    for _ in 0..<150 {
      switch number(6) {
      case 0: try store.add(Meddled())
      case 1:
        try store.write {
          some()?.value = Meddler(number(50))
          if let object = some() { try store.delete(object) }
        }
      case 2: if let object = some(), let other = some() { object.others.append(other) }
      case 3: _ = try? store.undo()
      default: some()?.value = Meddler(number(50))
      }
    }
    Meddler.setHook(nil)
    try file.blockingFlush()
    #expect(file.problem == nil, "seed \(seed)")
    #expect(try open(files.afterKill()).store.meddled == store.meddled, "seed \(seed)")
  }

  /// A file with an object whose value writes to the store from now on when it is encoded.
  private static func writesWhileEncoded() throws -> (file: StoreFile, object: Meddled) {
    let file = try StoreFile(
      at: "/store", interval: .seconds(1), smallestTail: 1 << 20, files: SimulatedFiles())
    let object = Meddled()
    try file.store.add(object)
    Meddler.setHook { if $0 == .encoding { object.text = "t" } }
    return (file, object)
  }

  @Test func `A value that writes to the store while it is encoded traps, whatever encodes it`()
    async
  {
    let inCommit = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (file, object) = try Self.writesWhileEncoded()
      object.value = Meddler(1)
      withExtendedLifetime(file) {}
    }
    expectError(inCommit, "a store must not be written to while one of its transactions ends")
    let inSaving = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (file, _) = try Self.writesWhileEncoded()
      try file.save(to: "/copy", files: SimulatedFiles())
    }
    expectError(inSaving, "a store must not be written to while one of its transactions ends or")
  }

  @Test func `A file that lacks commits is replaced inside of a mutation only when that is over`()
    throws
  {
    let files = SimulatedFiles()
    let file = try open(files, limits: SizeLimits(append: 500))
    let (one, two) = (Meddled(), Meddled())
    try file.write { try file.store.add([one, two]) }
    one.others = [one, two]
    files.setPlan(.init(capacity: 0))
    one.text = String(repeating: "x", count: 600)
    files.setPlan(.init())
    one.others.removeAll { other in
      if other === two { two.text = "written in a mutation" }
      try? file.blockingFlush()
      return other === one
    }
    try file.blockingFlush()
    #expect(file.problem == nil && one.others.count == 1)
    #expect(try open(files.afterKill()).store.meddled == file.store.meddled)
  }

  @Test(arguments: [Meddler.Occasion.end, .comparison, .encoding])
  func `The last reference to a file and its store can go during a commit`(
    occasion: Meddler.Occasion
  ) throws {
    defer { Meddler.setHook(nil) }
    for isSingleWrite in [true, false] {
      let files = SimulatedFiles()
      var file: StoreFile? = try open(files)
      weak let store = file?.store
      let object = Meddled()
      try file?.write { try store?.add(object) }
      Meddler.setHook { if $0 == occasion { file = nil } }
      if isSingleWrite {
        object.value = Meddler(1)
      } else {
        try store?.write {
          object.value = Meddler(1)
          object.value = Meddler(2)
        }
      }
      Meddler.setHook(nil)
      file = nil
      #expect(store == nil)
    }
  }

  @Test func `A decoding at opening can use another store with a file`() throws {
    defer { Meddler.setHook(nil) }
    let (files, otherFiles) = (SimulatedFiles(), SimulatedFiles())
    let file = try open(files)
    try file.write { for _ in 0..<5 { try file.store.add(Meddled()) } }
    let other = try open(otherFiles)
    Meddler.setHook { if $0 == .decoding { _ = try? other.store.add(Note()) } }
    let found = try open(files.afterKill())
    Meddler.setHook(nil)
    #expect(found.store.meddled == file.store.meddled)
    #expect(other.store.objectsInOrder.count == 5)
    try other.blockingFlush()
    #expect(try open(otherFiles.afterKill()).store.objectsInOrder.count == 5)
  }
}
