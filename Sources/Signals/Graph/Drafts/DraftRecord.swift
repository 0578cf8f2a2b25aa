// What a draft is, as a value that outlives the process: what stands in it, and what that was made from.

/// A draft as it can be written down; empty where there is nothing that was not committed.
struct DraftRecord: Sendable {
  /// Whether the last commit was refused for what is wrong with the draft.
  var isRefused = false
  /// Whether it was made as the draft of a new object, whatever that has become since.
  var isNew = false
  /// The draft's objects: the one it is of first, then what that embeds, and what else is not stored.
  var parts: [Part] = []

  var isEmpty: Bool { parts.isEmpty }

  /// One object of a draft.
  struct Part: Sendable {
    let type: Object.Type
    /// The stored object that it is a copy of; nil for a new one.
    let id: ObjectID?
    /// What it was like when the draft was made; nil if it came later.
    let base: [Value]?
    /// What is otherwise now.
    let mine: [Value]
    /// What was typed and is no value.
    var typed: [Text] = []
  }

  /// What was typed for a property, and what is wrong with it.
  struct Text: Codable, Equatable, Sendable {
    let property: String
    let typed: TypedText
  }

  /// A property, with what a field holds, the ``Reference``s of a list, or the one of a link, if any.
  struct Value: Sendable {
    let property: String
    let value: any FieldValue
  }

  /// What a link of a draft leads to.
  enum Reference: Codable, Equatable, Sendable {
    /// Another object of the draft, by its place.
    case part(Int)
    /// Any other object.
    case object(ObjectID)
  }
}

extension DraftRecord: Equatable {}
extension DraftRecord.Part: Equatable {
  static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.type == rhs.type && lhs.id == rhs.id && lhs.base == rhs.base && lhs.mine == rhs.mine
      && lhs.typed == rhs.typed
  }
}
extension DraftRecord.Value: Equatable {
  static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.property == rhs.property && ObjectChange.Property.isSame(lhs.value, rhs.value)
  }
}

extension DraftRecord: CustomStringConvertible {
  /// What is edited, and what stands there; nothing in it is random.
  var description: String {
    guard let first = parts.first else { return "no draft" }
    let changes = parts.flatMap { part in
      part.mine.map { "\(part.type).\($0.property): \(ObjectChange.Property.show($0.value))" }
        + part.typed.map { "\(part.type).\($0.property): typed \($0.typed.text.debugDescription)" }
    }
    let text = (["draft of \(first.type)"] + changes).joined(separator: ", ")
    return isRefused ? "\(text), refused" : text
  }
}

extension DraftRecord.Reference: CustomStringConvertible {
  var description: String {
    switch self {
    case .part(let place): "part \(place)"
    case .object: "an object"
    }
  }
}

// MARK: - Other ids

/// A value that names objects, which have other ids where a log is done again.
protocol NamingObjects {
  func renamed(_ name: (ObjectID) -> ObjectID) -> any FieldValue
}

extension DraftRecord: NamingObjects {
  func renamed(_ name: (ObjectID) -> ObjectID) -> any FieldValue {
    func renamed(_ values: [Value]) -> [Value] {
      values.map { Value(property: $0.property, value: Self.renamed($0.value, name)) }
    }
    var copy = self
    copy.parts = parts.map { part in
      Part(
        type: part.type, id: part.id.map(name), base: part.base.map(renamed),
        mine: renamed(part.mine), typed: part.typed)
    }
    return Optional(copy)
  }

  private static func renamed(
    _ value: any FieldValue, _ name: (ObjectID) -> ObjectID
  ) -> any FieldValue {
    func renamed(_ reference: Reference) -> Reference {
      if case .object(let id) = reference { .object(name(id)) } else { reference }
    }
    if let list = value as? [Reference] { return list.map(renamed) }
    if let link = value as? Reference { return Optional(renamed(link)) }
    return value
  }
}
