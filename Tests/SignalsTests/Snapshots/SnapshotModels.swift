import Foundation
import Signals

/// What the tests of snapshots put into stores beside the models of the graph.
final class Track: Object {
  @PrimaryKey var id = 0
  @Field var title = ""
  @Field var length = 0.0
  @Field var mood: Mood = .calm
  @Indexed var genre = "?"
  @Link var album: Album?
  @Links var similar: List<Track>

  override static var renamed: [String: String] {
    ["title": "name", "name": "label", "similar": "likes"]
  }
}

enum Mood: String, Codable, Sendable { case calm, wild }

class Album: Object {
  @Field var title = "untitled"
  @Link var sleeve: Sleeve?
  @Links var notes: List<Sleeve>
  @Link var best: Track?

  override class var renamed: [String: String] { ["title": "headline"] }
}

final class Single: Album {
  @Field var key = UUID()
  @Link var flip: Track?
}

final class Sleeve: EmbeddedObject {
  @Field var text = ""
  @Link var inner: Sleeve?
}

/// A value that is picky about what it is made of.
struct Even: Codable, Equatable, Sendable {
  struct Odd: Error {}
  var number = 0
  init(number: Int = 0) { self.number = number }
  init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(Int.self)
    if number % 2 != 0 { throw Odd() }
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }
}

/// Values of all sizes and alignments.
final class Sizes: Object {
  @Field var flag = false
  @Field var small: Int8 = 1
  @Field var vector = SIMD8<Float>(repeating: 0)
  @Field var letter = "a"
  @Field var pair: [Pair] = []
  @Field var even = Even()
  @Field var maybe: Int?
  @Field var lookup: [String: Int] = [:]
  @Field var nothing = Nothing()
  @Field var short: UInt16 = 3
  @Field var wide = Pair(a: "", b: nil)
}

struct Pair: Codable, Equatable, Sendable {
  var a: String
  var b: Bool?
}

/// Everything that can be read of an object, its links as ids.
func describe(_ object: Object) -> String {
  func ids(_ objects: some Sequence<some Object>) -> String {
    objects.map(\.objectID.description).joined(separator: ",")
  }
  func id(_ object: Object?) -> String { object?.objectID.description ?? "-" }
  let values: [String] =
    switch object {
    case let thing as Thing:
      [
        "\(thing.key)", thing.name, id(thing.link), ids(thing.list),
        "\((thing as? SpecialThing)?.extra ?? -1)",
      ]
    case let machine as Machine: [machine.name, id(machine.part), ids(machine.parts)]
    case let part as Part: [part.name, id(part.part), ids(part.parts)]
    default: ["?"]
    }
  return ([String(describing: type(of: object))] + values).joined(separator: "|")
}

func describe(_ objects: [Object]) -> [ObjectID: String] {
  Dictionary(uniqueKeysWithValues: objects.map { ($0.objectID, describe($0)) })
}

extension Store {
  var everything: [Object] {
    Array(results(Thing.self)) + Array(results(Machine.self)) + Array(results(Part.self))
  }
}

extension Snapshot {
  func coded() throws -> Snapshot {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(Snapshot.self, from: encoded())
  }

  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try encoder.encode(self)
  }
}
