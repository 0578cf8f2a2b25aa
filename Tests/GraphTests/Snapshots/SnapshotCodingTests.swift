import Foundation
import Signals
import TestSupport
import Testing

/// Snapshots written down and read back, also by other versions of the classes.
@Suite struct `Snapshots, coding` {
  /// A snapshot as text that a test can edit.
  func text(_ store: Store) throws -> String {
    String(decoding: try store.snapshot().encoded(), as: UTF8.self)
  }

  func decode(_ text: String) throws -> Snapshot {
    try JSONDecoder().decode(Snapshot.self, from: Data(text.utf8))
  }

  func error(_ text: String, _ edits: (String, String)...) -> GraphDecodingError? {
    var edited = text
    for (old, new) in edits {
      #expect(edited.contains(old), "\(old) in \(edited)")
      edited = edited.replacingOccurrences(of: old, with: new)
    }
    do { _ = try decode(edited) } catch { return error as? GraphDecodingError }
    return nil
  }

  func makeStore() throws -> Store {
    let store = Store()
    let (one, two, album) = (Track(), Track(), Album())
    (one.id, two.id) = (1, 2)
    one.title = "Air"
    one.album = album
    one.similar = [two, two]
    album.sleeve = Sleeve()
    album.sleeve?.inner = Sleeve()
    try store.add(one)
    return store
  }

  @Test func `a value that can't be encoded is named with its object`() throws {
    let store = Store()
    let novel = makeNovel(77, "Emma")
    novel.price = .infinity
    var change = ChangeSet()
    let token = store.commits.sink { change = $0 }
    try store.add([makeNovel(1), novel])
    let reason =
      "Novel(key: 77).price can't be encoded: Unable to encode Double.inf directly in JSON"
    for encode in [
      { try JSONEncoder().encode(store.snapshot()) }, { try JSONEncoder().encode(change) },
    ] {
      let error = #expect(throws: EncodingError.self) { _ = try encode() }
      guard case .invalidValue(_, let context)? = error else { continue }
      #expect(context.debugDescription.hasPrefix(reason))
    }
    try store.write { novel.price = .nan }
    let error = #expect(throws: EncodingError.self) { _ = try JSONEncoder().encode(change) }
    #expect(error.map { "\($0)" }?.contains("Novel") == true)
    token.cancel()
  }

  @Test func `an encoded snapshot is decoded unchanged, and encoded alike again`() throws {
    let store = try makeStore()
    let snapshot = store.snapshot()
    let coded = try snapshot.coded()
    #expect(coded == snapshot && Store(coded).brokenInvariants() == [])
    #expect(try coded.encoded() == snapshot.encoded())
    #expect(try store.snapshot().encoded() == Store(snapshot).snapshot().encoded())
    #expect(coded.object(Track.self, primaryKey: 1)?.similar.map(\.id) == [2, 2])
  }

  @Test func `a property list will do as well`() throws {
    let snapshot = try makeStore().snapshot()
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    // Property lists have no null: a link that leads nowhere stands as their encoder has it.
    let data = try encoder.encode(snapshot)
    #expect(try PropertyListDecoder().decode(Snapshot.self, from: data) == snapshot)
  }

  @Test func `the format is what it is`() throws {
    let store = Store()
    let page = Page()
    page.text = "x"
    try store.add(page)
    let id = page.objectID
    #expect(
      try text(store) == """
        {"classes":[{"class":{"name":"Page","symbol":"11TestSupport4PageC"},"properties":\
        [{"kind":"value","name":"number"},{"kind":"value","name":"text"}]}],\
        "objects":[[0,0,\(id.counter),0,"x"]],"replicas":[\(id.replica)],"version":1}
        """)
  }

  @Test func `fields that were added have the values of a new object`() throws {
    let text = try text(makeStore())
    // As if `length`, and a list, had not existed.
    let old = text.replacingOccurrences(of: #""name":"length""#, with: #""name":"weight""#)
      .replacingOccurrences(of: #""name":"notes""#, with: #""name":"remarks""#)
    let snapshot = try decode(old)
    #expect(snapshot.objects(Track.self).map(\.length) == [0, 0])
    #expect(snapshot.objects(Track.self).map(\.title) == ["Air", ""])
    #expect(snapshot.count == 5 && Store(snapshot).brokenInvariants() == [])
    let single = Single()
    let store = Store()
    try store.add(single)
    let was = try self.text(store).replacingOccurrences(
      of: #""name":"key""#, with: #""name":"was""#)
    let keys = try decode(was).objects(Single.self).map(\.key)
    #expect(keys.count == 1 && keys[0] != single.key)
  }

  @Test func `embedded objects go with the property that owned them`() throws {
    let text = try text(makeStore())
    let snapshot = try decode(
      text.replacingOccurrences(of: #""name":"sleeve""#, with: #""name":"cover""#))
    #expect(snapshot.count == 3 && snapshot.count(of: Sleeve.self) == 0)
    #expect(Store(snapshot).brokenInvariants() == [])
  }

  @Test func `fields that were renamed are found, through several names and in superclasses`()
    throws
  {
    let text = try text(makeStore())
    for old in ["name", "label"] {
      let edited = text.replacingOccurrences(
        of: #""name":"title"},{"kind":"value","name":"length""#,
        with: #""name":"\#(old)"},{"kind":"value","name":"length""#)
      #expect(edited != text)
      #expect(try decode(edited).object(Track.self, primaryKey: 1)?.title == "Air")
    }
    let likes = text.replacingOccurrences(of: #""name":"similar""#, with: #""name":"likes""#)
    #expect(try decode(likes).object(Track.self, primaryKey: 1)?.similar.count == 2)
    let single = Single()
    single.title = "B"
    let store = Store()
    try store.add(single)
    let headline = try self.text(store).replacingOccurrences(
      of: #""name":"title""#, with: #""name":"headline""#)
    #expect(try decode(headline).objects(Single.self).map(\.title) == ["B"])
  }

  @Test func `a property that still has its name is not taken for one that had it before`() throws {
    let text = try text(makeStore())
    let both = text.replacingOccurrences(of: #""name":"genre""#, with: #""name":"name""#)
    // `title` is there under its own name: `name` is ignored, and `genre` is new.
    let track = try decode(both).object(Track.self, primaryKey: 1)
    #expect(track?.title == "Air" && track?.genre == "?")
  }

  @Test func `what is wrong says class, property and place`() throws {
    let store = try makeStore()
    let text = try text(store)
    let row = store.results(Track.self).map { $0.objectID.counter }
    let version = error(text, (#""version":1"#, #""version":2"#))
    #expect(version?.reason == .unsupportedVersion(2) && version?.codingPath == ["version"])
    #expect(version?.description == "what was encoded at version has the unknown version 2")
    let symbol = error(text, ("5TrackC", "5TruckC"))
    #expect(symbol?.reason == .unknownClass && symbol?.codingPath == ["classes", "Index 0"])
    #expect(symbol?.className == "Track")
    let kind = error(
      text, (#"{"kind":"value","name":"genre"}"#, #"{"kind":"link","name":"genre"}"#))
    #expect(kind?.property == "genre")
    let type = error(text, (#""Air""#, "5"))
    #expect(type?.className == "Track" && type?.property == "title")
    #expect(type?.codingPath == ["objects", "Index 0", "Index 4"])
    #expect(type?.reason == .malformed("no String"))
    let value = error(text, (#""Air""#, "null"))
    #expect(value?.codingPath == ["objects", "Index 0", "Index 4"])
    let enumeration = error(text, (#""calm""#, #""loud""#))
    #expect(enumeration?.property == "mood")
    let dangling = error(text, ("[2,2]", "[2,9]"))
    #expect(dangling?.reason == .danglingLink && dangling?.property == "similar")
    #expect(dangling?.codingPath == ["objects", "Index 0", "Index 9"])
    #expect(error(text, ("[2,2]", "[2,-1]"))?.reason == .danglingLink)
    let wrong = error(text, ("[2,2]", "[2,1]"))
    #expect(wrong?.reason == .wrongClass("Album") && wrong?.property == "similar")
    let twice = error(text, ("[0,0,\(row[1])", "[0,0,\(row[0])"))
    #expect(twice?.codingPath == ["objects", "Index 2"] && twice?.className == "Track")
    let key = error(text, ("[0,0,\(row[1]),2", "[0,0,\(row[1]),1"))
    #expect(key?.reason == .duplicateKey("1") && key?.property == "id")
    let number = error(text, ("[0,0,\(row[0])", "[0,0,-4"))
    #expect(
      number?.className == "Track" && number?.codingPath == ["objects", "Index 0", "Index 2"])
    let noClass = error(text, ("[0,0,\(row[0])", "[7,0,\(row[0])"))
    #expect(noClass?.reason == .malformed("there is no class 7"))
    #expect(error(text, ("[0,0,\(row[0])", "[0,7,\(row[0])")) != nil)
    #expect(error(text, ("[0,0,\(row[0])", "[1e99,0,\(row[0])")) != nil)
    #expect(error(text, (#""objects""#, #""things""#))?.codingPath == [])
    #expect(error(text, ("[0,0,\(row[0]),", "[0,0,\(row[0]),\(row[0]),")) != nil)
    #expect(error("[]") != nil && error("{}") != nil && error("null") != nil)
  }

  @Test func `embedded objects have one owner each`() throws {
    let store = Store()
    let album = Album()
    album.sleeve = Sleeve()
    album.notes = [Sleeve()]
    try store.add(album)
    let text = try text(store)
    // The album is 0, its sleeve 1, the note 2.
    let two = error(text, (",1,[2],", ",1,[1],"))
    #expect(two?.property == "notes" && two?.codingPath == ["objects", "Index 0", "Index 5"])
    let none = error(text, (",1,[2],", ",null,[2],"))
    #expect(none?.reason == .brokenOwnership("it is embedded and has no owner"))
    #expect(none?.className == "Sleeve" && none?.codingPath == ["objects", "Index 1"])
    let ring = error(text, (",1,[2],", ",null,[2],"), (#""",null]"#, #""",1]"#))
    #expect(ring?.className == "Sleeve")
  }

  @Test func `an embedded object that is only part of itself is refused`() throws {
    let store = Store()
    let album = Album()
    album.sleeve = Sleeve()
    try store.add(album)
    let ring = error(try text(store), (",1,[],", ",null,[],"), (#""",null]"#, #""",1]"#))
    #expect(ring?.reason == .brokenOwnership("it is embedded in itself"))
  }

  @Test func `what a value's decoder throws has its place`() throws {
    let store = Store()
    let sizes = Sizes()
    sizes.even.number = 4242
    try store.add(sizes)
    let odd = error(try text(store), ("4242", "4243"))
    #expect(odd?.className == "Sizes" && odd?.property == "even")
    #expect(odd?.codingPath.first == "objects" && odd?.codingPath.count == 3)
    let small = error(try text(store), ("false,1,", "false,1000,"))
    #expect(small?.property == "small")
  }

  @Test func `a primary key that is not equal to itself is refused`() throws {
    let celsius = `Graph, odd values`.Celsius()
    celsius.degrees = 1.5
    let store = Store()
    try store.add(celsius)
    let text = String(decoding: try store.snapshot().encoded(), as: UTF8.self)
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let error = #expect(throws: GraphDecodingError.self) {
      _ = try decoder.decode(Snapshot.self, from: Data(text.replacing("1.5", with: "\"nan\"").utf8))
    }
    #expect(
      error?.property == "degrees" && error?.reason == .malformed("nan is not equal to itself"))
  }

  @Test func `deep and long input does no harm`() throws {
    let text = try text(makeStore())
    let deep = String(repeating: "[", count: 100_000)
    #expect(throws: (any Error).self) {
      try decode(text.replacingOccurrences(of: #""Air""#, with: deep))
    }
    onSmallStack {
      let (store, machine) = (Store(), Machine())
      let count = runLength(usually: 20_000)
      var part = Part()
      machine.part = part
      for _ in 1..<count {
        part.part = Part()
        part = part.part ?? part
      }
      try store.add(machine)
      let snapshot = try store.snapshot().coded()
      #expect(snapshot == store.snapshot())
      #expect(Store(snapshot).results(Part.self).count == count)
      #expect(snapshot.objects(Machine.self).count == 1)
    }
  }
}
