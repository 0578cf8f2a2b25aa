// A draft as a value that outlives the process: its contents and its baseline.

/// A draft in a form that can be encoded; empty if the draft has no uncommitted changes.
struct DraftRecord: Sendable {
  /// Whether the last commit was refused because the draft had errors.
  var isRefused = false
  /// Whether it was created as a draft of a new object, even if that was committed since.
  var isNew = false
  /// The draft's objects: its root first, then the embedded objects and all other unstored ones.
  var parts: [Part] = []

  var isEmpty: Bool { parts.isEmpty }

  /// One object of a draft.
  struct Part: Sendable {
    let type: Object.Type
    /// The id of the stored object that it is a copy of; nil for a new object.
    let id: ObjectID?
    /// The values when the draft was loaded; nil if the object was inserted later.
    let base: [Value]?
    /// The values that differ from `base`.
    let mine: [Value]
    /// The typed texts that can't be parsed.
    var typed: [Text] = []
  }

  /// The text typed for a property, with its error message.
  struct Text: Codable, Equatable, Sendable {
    let property: String
    let typed: TypedText
  }

  /// A property with its value: the value of a field, the ``Reference``s of a list, or the optional
  /// reference of a link.
  struct Value: Sendable {
    let property: String
    let value: any FieldValue
  }

  /// The target of a draft's link.
  enum Reference: Codable, Equatable, Sendable {
    /// Another object of the draft, by its index in `parts`.
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
  /// The edited class and the changed values, without random ids.
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

// MARK: - New ids

/// A value that contains object ids, which must be mapped when a log is replayed and its objects
/// have other ids.
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
