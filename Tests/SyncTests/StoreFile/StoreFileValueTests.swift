import Signals
import SignalsSync
import Testing

/// A number that can't be encoded if it is negative, and can't be decoded if it is 13.
struct Fussy: Codable, Hashable, Sendable {
  struct Refused: Error {}
  var number = 0

  init(_ number: Int) { self.number = number }

  init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(Int.self)
    if number == 13 { throw Refused() }
  }

  func encode(to encoder: any Encoder) throws {
    if number < 0 { throw Refused() }
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }
}

final class Leaflet: Object {
  @Field var value = Fussy(1)
  @Field var text = ""
  override class var isSkippedIfUndecodable: Bool { true }
}

final class Rack: Object {
  @Field var name = ""
  @Field var value = Fussy(-1)
  @Links var leaflets: List<Leaflet>
}

final class Optioned: Object {
  @Field var day: Int?
}

final class Required: Object {
  @Field var day = 7
}

final class Wide: Object {
  @Field var signed: Int128 = 1
  @Field var unsigned: [UInt128] = []
  @Field var text = ""
}

@Suite("Values that a store's file can't keep")
struct StoreFileValueTests {
  private func isRefused(_ problem: StoreFileError?, _ property: String) -> Bool {
    "\(String(describing: problem))".contains(".\(property) ")
  }

  @Test func `A value that can't be encoded is named, and the rest of its commit is kept`() throws {
    let files = SimulatedFiles()
    let file = try open(files)
    let leaflet = Leaflet()
    try file.write { try file.store.add(leaflet) }
    #expect(throws: StoreFileError.self) {
      try file.write { (leaflet.value, leaflet.text) = (Fussy(-5), "kept") }
    }
    #expect(isRefused(file.problem, "value"))
    let found = try open(files.afterKill()).store.objectsInOrder.compactMap { $0 as? Leaflet }
    #expect(found.map(\.text) == ["kept"])
    #expect(found.map(\.value) == [Fussy(1)])
  }

  @Test func `Everything that promises durable commits throws for a value that isn't in the file`()
    async throws
  {
    let files = SimulatedFiles()
    let file = try open(files)
    let (leaflet, other) = (Leaflet(), Leaflet())
    (leaflet.text, other.text) = ("first", "second")
    try file.write { try file.store.add([leaflet, other]) }
    func expectError(naming name: String, _ error: StoreFileError?) {
      #expect(error?.description.hasPrefix("Leaflet(text: \"\(name)\").value can't be") == true)
    }
    expectError(
      naming: "first",
      #expect(throws: StoreFileError.self) { try file.write { leaflet.value = Fussy(-5) } })
    expectError(naming: "first", #expect(throws: StoreFileError.self) { try file.blockingFlush() })
    let error = await #expect(throws: StoreFileError.self) { try await file.flush() }
    expectError(naming: "first", error)
    // A commit of another object doesn't put the value right.
    #expect(throws: StoreFileError.self) { try file.write { other.value = Fussy(-6) } }
    leaflet.value = Fussy(6)
    expectError(naming: "second", #expect(throws: StoreFileError.self) { try file.blockingFlush() })
    other.value = Fussy(7)
    try file.blockingFlush()
    try await file.flush()
    #expect(file.problem == nil)
    other.value = Fussy(-7)
    (leaflet.text, other.text) = ("kept", "kept")
    await #expect(throws: StoreFileError.self) { try await file.close() }
    let found = try open(files).store.objectsInOrder.compactMap { $0 as? Leaflet }
    #expect(found.map(\.text) == ["kept", "kept"])
    #expect(found.map(\.value) == [Fussy(6), Fussy(7)])
  }

  @Test func `A value that is put right is kept, and ends the problem`() throws {
    let files = SimulatedFiles()
    let file = try open(files)
    let leaflet = Leaflet()
    leaflet.value = Fussy(-5)
    #expect(throws: StoreFileError.self) { try file.write { try file.store.add(leaflet) } }
    #expect(isRefused(file.problem, "value"))
    try file.write { leaflet.value = Fussy(6) }
    #expect(file.problem == nil)
    let found = try open(files.afterKill()).store.objectsInOrder.compactMap { $0 as? Leaflet }
    #expect(found.map(\.value) == [Fussy(6)])
  }

  @Test func `Integers of 128 bits are refused by name, and the rest is kept`() throws {
    let files = SimulatedFiles()
    let file = try open(files)
    let wide = Wide()
    (wide.signed, wide.unsigned, wide.text) = (5, [.max], "kept")
    #expect(throws: StoreFileError.self) { try file.write { try file.store.add(wide) } }
    #expect(isRefused(file.problem, "signed") || isRefused(file.problem, "unsigned"))
    let found = try open(files.afterKill()).store.objectsInOrder.compactMap { $0 as? Wide }
    #expect(found.map(\.text) == ["kept"] && found.map(\.signed) == [1])
  }

  @Test func `A deleted object ends the problem of its value`() throws {
    let file = try open(SimulatedFiles())
    let leaflet = Leaflet()
    leaflet.value = Fussy(-5)
    #expect(throws: StoreFileError.self) { try file.write { try file.store.add(leaflet) } }
    try file.write { try file.store.delete(leaflet) }
    #expect(file.problem == nil)
  }

  @Test func `An initial value that can't be encoded leaves the file readable`() throws {
    let files = SimulatedFiles()
    let file = try open(files)
    let rack = Rack()
    rack.name = "r"
    #expect(throws: StoreFileError.self) { try file.write { try file.store.add(rack) } }
    #expect(isRefused(file.problem, "value"))
    let found = try open(files.afterKill()).store.objectsInOrder.compactMap { $0 as? Rack }
    #expect(found.map(\.name) == ["r"])
    #expect(found.map(\.value) == [Fussy(-1)])
  }

  @Test func `Objects whose values can't be decoded are left out, if their class says so`() throws {
    let files = SimulatedFiles()
    let file = try open(files)
    let (rack, odd, even) = (Rack(), Leaflet(), Leaflet())
    (odd.value, even.value, rack.value) = (Fussy(13), Fussy(14), Fussy(2))
    rack.leaflets = [odd, even]
    try file.write { try file.store.add(rack) }
    let later = files.afterKill()
    let found = try open(later)
    let racks = found.store.objectsInOrder.compactMap { $0 as? Rack }
    #expect(racks.first?.leaflets.map(\.value) == [Fussy(14)])
    try found.write { racks.first?.leaflets.append(Leaflet()) }
    let again = try open(later.afterKill())
    let left = again.store.objectsInOrder.compactMap { $0 as? Rack }
    #expect(left.first?.leaflets.map(\.value) == [Fussy(14), Fussy(1)])
  }

  @Test func `A value without bytes is the initial one when the class has changed, too`()
    async throws
  {
    let original = SimulatedFiles()
    let file = try open(original)
    let rack = Rack()
    rack.leaflets = [Leaflet()]
    #expect(throws: StoreFileError.self) { try file.write { try file.store.add(rack) } }
    for property in ["name", "value"] {
      var entries = try await StoredEntries(of: original)
      entries.replace(property, by: String(repeating: "x", count: property.count))
      let found = try open(try await entries.files())
      let racks = found.store.objectsInOrder.compactMap { $0 as? Rack }
      #expect(racks.map(\.value) == [Fussy(-1)] && racks.first?.leaflets.count == 1)
    }
  }

  @Test func `A nil where the class has no optional any more is an error`() async throws {
    let original = SimulatedFiles()
    let file = try open(original)
    try file.write { try file.store.add(Optioned()) }
    var entries = try await StoredEntries(of: original)
    entries.replace("Optioned", by: "Required")
    let files = try await entries.files()
    let error = #expect(throws: StoreFileError.self) { try open(files) }
    if case .objects(let error)? = error {
      #expect(error.property == "day")
    } else {
      Issue.record("\(String(describing: error))")
    }
  }
}
