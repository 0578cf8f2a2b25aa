import Foundation
import Signals
import TestSupport
import Testing

/// Snapshots and change sets of classes that have other names by now.
@Suite struct `Snapshots, renamed classes` {
  private let old = (name: "Track", symbol: "11TestSupport5TrackC")

  /// What was encoded when the class was in another module, and was called otherwise.
  private func text(
    _ value: some Encodable, moved name: String = "Song", symbol: String = "6TheApp4SongC"
  ) throws -> String {
    let text = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    #expect(text.contains(old.symbol))
    return text.replacing("\"\(old.symbol)\"", with: "\"\(symbol)\"")
      .replacing("\"\(old.name)\"", with: "\"\(name)\"")
  }

  private func decode<Value: Decodable>(
    _ type: Value.Type, _ text: String, _ names: [String: Object.Type]
  ) throws -> Value {
    let decoder = JSONDecoder()
    decoder.userInfo[.renamedClasses] = names
    return try decoder.decode(type, from: Data(text.utf8))
  }

  private func makeStore() throws -> Store {
    let store = Store()
    let track = Track()
    (track.id, track.title) = (1, "Air")
    try store.add(track)
    return store
  }

  @Test func `a class is found under the name that it had`() throws {
    let text = try text(makeStore().snapshot())
    let store = Store(try decode(Snapshot.self, text, ["Song": Track.self]))
    #expect(store.object(Track.self, primaryKey: 1)?.title == "Air")
    #expect(try store.snapshot().encoded() == makeText(store))
  }

  private func makeText(_ store: Store) throws -> Data {
    try Store(store.snapshot()).snapshot().encoded()
  }

  @Test func `one that was only moved keeps its name`() throws {
    let text = try text(makeStore().snapshot(), moved: "Track")
    let snapshot = try decode(Snapshot.self, text, ["Track": Track.self])
    #expect(snapshot.objects(Track.self).map(\.title) == ["Air"])
  }

  @Test func `a snapshot is not decoded without its new name`() throws {
    let text = try text(makeStore().snapshot())
    let error = #expect(throws: GraphDecodingError.self) {
      try decode(Snapshot.self, text, ["Other": Track.self])
    }
    #expect(error?.reason == .unknownClass && error?.className == "Song")
  }

  @Test func `a class that is found under its encoded name is that`() throws {
    let snapshot = try makeStore().snapshot()
    let text = String(decoding: try snapshot.encoded(), as: UTF8.self)
    let again = try decode(Snapshot.self, text, ["Track": Album.self])
    #expect(again == snapshot)
  }

  @Test func `changes are decoded under a new name too`() throws {
    let store = Store()
    var changes: [ChangeSet] = []
    let token = store.commits.sink { changes.append($0) }
    let track = Track()
    track.title = "Air"
    try store.add(track)
    let text = try text(changes[0])
    let other = Store()
    try other.apply(try decode(ChangeSet.self, text, ["Song": Track.self]), onConflict: .fail)
    #expect(other.results(Track.self).map(\.title) == ["Air"])
    withExtendedLifetime(token) {}
  }
}
