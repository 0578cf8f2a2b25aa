// A draft as a value that outlives the process: its objects as changes, and its typed texts.

/// A draft in a form that can be encoded; empty if the draft has no uncommitted changes.
struct DraftRecord: Equatable, Encodable, Sendable {
  /// Whether the last commit was refused because the draft had errors.
  var isRefused = false
  /// Whether it was created as a draft of a new object, even if that was committed since.
  var isNew = false
  /// The draft's objects: its root first, then the embedded objects and all other unstored ones.
  ///
  /// The old values are those when the draft was loaded. A property that the draft hasn't changed
  /// has no new value. An object that was created in the draft since it was loaded is inserted. An
  /// object without a stored original has a local id, which is the same in each process.
  var objects: [ObjectChange] = []
  /// The typed texts that can't be parsed.
  var texts: [Text] = []

  var isEmpty: Bool { objects.isEmpty }

  /// The id of the stored object that is drafted; nil for a new object.
  var rootID: ObjectID? { objects.first.flatMap { $0.id.isLocal ? nil : $0.id } }

  /// The text typed for a property of an object, with its error message.
  struct Text: Codable, Equatable, Sendable {
    let object: ObjectID
    let property: String
    let typed: TypedText
  }
}

extension ObjectID {
  /// An id of an unstored object, which only its draft knows.
  ///
  /// - Parameter number: The object's index in the draft's record.
  static func local(_ number: Int) -> ObjectID { ObjectID(replica: 0, counter: UInt64(number)) }

  /// Whether the id is one of an unstored object in a draft; no process has the replica 0.
  var isLocal: Bool { replica == 0 }
}

extension DraftRecord: Decodable {
  /// Decodes a record that another version of the app may have written.
  ///
  /// The value of a property that no longer exists, or whose type no longer matches, is left out;
  /// the property then counts as unedited.
  ///
  /// - Throws: The errors of the decoder, and an error if a class no longer exists.
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    isRefused = try container.decode(Bool.self, forKey: .isRefused)
    isNew = try container.decode(Bool.self, forKey: .isNew)
    objects = try container.decode([PartialChange].self, forKey: .objects).map(\.change)
    texts = (try? container.decode([Text].self, forKey: .texts)) ?? []
  }

  private struct PartialChange: Decodable {
    let change: ObjectChange

    init(from decoder: any Decoder) throws {
      change = try ObjectChange(from: decoder, isPartial: true)
    }
  }
}

extension DraftRecord: CustomStringConvertible {
  /// The edited class and the changed values, without random ids.
  var description: String {
    guard let first = objects.first else { return "no draft" }
    let changes = objects.flatMap { object in
      object.properties.compactMap { property in
        property.new.map { "\(object.type).\(property.name): \(Self.text(of: $0))" }
      }
        + texts.filter { $0.object == object.id }.map {
          "\(object.type).\($0.property): typed \($0.typed.text.debugDescription)"
        }
    }
    let text = (["draft of \(first.type)"] + changes).joined(separator: ", ")
    return isRefused ? "\(text), refused" : text
  }

  private static func text(of value: any FieldValue) -> String {
    func text(_ id: ObjectID) -> String { id.isLocal ? "part \(id.counter)" : "an object" }
    if let ids = value as? [ObjectID] { return "[\(ids.map(text).joined(separator: ", "))]" }
    return (value as? ObjectID).map(text) ?? ObjectChange.Property.show(value)
  }
}

extension DraftRecord: NamingObjects {
  func renamed(_ name: (ObjectID) -> ObjectID) -> any FieldValue {
    var copy = self
    copy.objects = objects.map { $0.renamed(name) }
    copy.texts = texts.map { text in
      Text(object: name(text.object), property: text.property, typed: text.typed)
    }
    return Optional(copy)
  }
}
