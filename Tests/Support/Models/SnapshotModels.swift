package import Foundation
package import Signals

/// What the tests of snapshots put into stores beside the models of the graph.
package final class Track: Object {
  @PrimaryKey package var id = 0
  @Field package var title = ""
  @Field package var length = 0.0
  @Field package var mood: Mood = .calm
  @Indexed package var genre = "?"
  @Link package var album: Album?
  @Links package var similar: List<Track>

  package override static var renamed: [String: String] {
    ["title": "name", "name": "label", "similar": "likes"]
  }
}

package enum Mood: String, Codable, Sendable { case calm, wild }

package class Album: Object {
  @Field package var title = "untitled"
  @Link package var sleeve: Sleeve?
  @Links package var notes: List<Sleeve>
  @Link package var best: Track?

  package override class var renamed: [String: String] { ["title": "headline"] }
}

package final class Single: Album {
  @Field package var key = UUID()
  @Link package var flip: Track?
}

package final class Sleeve: EmbeddedObject {
  @Field package var text = ""
  @Link package var inner: Sleeve?
}

/// A value that is picky about what it is made of.
package struct Even: Codable, Equatable, Sendable {
  package struct Odd: Error {}
  package var number = 0
  package init(number: Int = 0) { self.number = number }
  package init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(Int.self)
    if number % 2 != 0 { throw Odd() }
  }
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }
}

/// Values of all sizes and alignments.
package final class Sizes: Object {
  @Field package var flag = false
  @Field package var small: Int8 = 1
  @Field package var vector = SIMD8<Float>(repeating: 0)
  @Field package var letter = "a"
  @Field package var pair: [Pair] = []
  @Field package var even = Even()
  @Field package var maybe: Int?
  @Field package var lookup: [String: Int] = [:]
  @Field package var nothing = Nothing()
  @Field package var short: UInt16 = 3
  @Field package var wide = Pair(a: "", b: nil)
}

package struct Pair: Codable, Equatable, Sendable {
  package var a: String
  package var b: Bool?

  package init(a: String, b: Bool? = nil) { (self.a, self.b) = (a, b) }
}

/// Everything that can be read of an object, its links as ids.
package func describe(_ object: Object) -> String {
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

package func describe(_ objects: [Object]) -> [ObjectID: String] {
  Dictionary(uniqueKeysWithValues: objects.map { ($0.objectID, describe($0)) })
}

extension Store {
  package var everything: [Object] {
    Array(results(Thing.self)) + Array(results(Machine.self)) + Array(results(Part.self))
  }
}

extension Snapshot {
  package func coded() throws -> Snapshot {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(Snapshot.self, from: encoded())
  }

  package func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try encoder.encode(self)
  }
}
