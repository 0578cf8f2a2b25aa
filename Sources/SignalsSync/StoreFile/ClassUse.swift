// The match between the classes of a file and the classes of this process.
//
// A property of the file is one of the class with its name or, if there is none, with a former name
// of it (`Object.renamed`). A property or class that this process lacks belongs to another version
// of the app: its values are carried, unless a migration begins here, which no other version
// follows.

internal import Signals

/// The mapping from a class of a file to a class of this process.
final class ClassUse {
  /// The use of the values of one property.
  enum Use {
    case value(FieldCodec)
    case link(LinkingField)
    case list(LinkingField)
    /// The class lacks the property. Its values are written back unchanged.
    case carried
    /// The values aren't read, because a migration replaces them.
    case dropped
  }

  struct Field {
    let name: String
    let kind: FileClass.Kind
    let use: Use
    /// The number of the property in the class of this process, or -1 if the class lacks it.
    let number: Int
  }

  /// The treatment of the objects of a class.
  enum Fate {
    case made(Object.Type)
    /// The process lacks the class. The objects are written back unchanged.
    case carried
    /// The objects aren't read, because their class can be skipped or a migration replaces them.
    case dropped
  }

  /// The name of the class in the file.
  let name: String
  let fate: Fate
  let fields: [Field]
  /// The codec of each property of the file, or `nil` if it isn't a field of this process.
  let codecs: [FieldCodec?]
  /// The description of the class when the file is written again.
  let description: FileClass
  /// Whether objects that can't be decoded are left out.
  let isSkippable: Bool
  let isEmbedded: Bool

  var isMade: Bool {
    if case .made = fate { true } else { false }
  }
  /// Whether the file's class has links or lists.
  let hasLinks: Bool
  /// The properties of the file that the class of this process lacks.
  let unknown: [FileClass.Property]

  /// Matches a class of a file with one of this process.
  ///
  /// - Parameters:
  ///   - stored: The class as the file describes it.
  ///   - renamed: The classes that were renamed, by their former names.
  ///   - isMigrating: Whether migrations follow.
  /// - Throws: ``StoreFileError/objects(_:)`` or
  ///   ``StoreFileError/renaming(className:property:reason:)``.
  init(
    _ stored: FileClass, renamed: [String: Object.Type], isMigrating: Bool
  ) throws(StoreFileError) {
    name = stored.className.name
    isSkippable = stored.isSkippedIfUndecodable
    if let other = renamed[name], stored.className.type != nil {
      throw .renaming(
        className: name, property: nil,
        reason: "this process has a class of that name, and \(other)")
    }
    guard let type = stored.className.type ?? renamed[name] else {
      fate = isMigrating ? .dropped : .carried
      fields = stored.properties.map {
        Field(name: $0.name, kind: $0.kind, use: isMigrating ? .dropped : .carried, number: -1)
      }
      (description, isEmbedded) = (FileClass(unknown: stored), false)
      codecs = stored.properties.map { _ in nil }
      hasLinks = stored.properties.contains { $0.kind != .value }
      unknown = []
      return
    }
    let schema = Schema(of: type)
    let matches = try Self.matches(of: stored, with: schema, isMigrating: isMigrating)
    let isKindChanged = matches.values.contains { $0.kind != stored.properties[$0.number].kind }
    if isKindChanged, !isMigrating, !isSkippable {
      let changed = matches.first { $0.value.kind != stored.properties[$0.value.number].kind }
      let kind = stored.properties[changed?.value.number ?? 0].kind
      throw .objects(
        GraphDecodingError(
          className: schema.name, property: changed?.key ?? "",
          reason: .malformed("a \(kind), where the class has a \(changed?.value.kind ?? kind)")))
    }
    fate = isKindChanged && !isMigrating ? .dropped : .made(type)
    isEmbedded = type is EmbeddedObject.Type
    var uses = [(use: Use, number: Int)](
      repeating: (isMigrating ? .dropped : .carried, -1), count: stored.properties.count)
    for (number, property) in schema.encodedProperties.enumerated() {
      guard let match = matches[property.name] else { continue }
      uses[match.number] = (
        stored.properties[match.number].kind == match.kind
          ? Use(property, as: match.kind) : .dropped, number
      )
    }
    fields = zip(stored.properties, uses).map {
      Field(name: $0.name, kind: $0.kind, use: $1.use, number: $1.number)
    }
    codecs = fields.map { if case .value(let codec) = $0.use { codec } else { nil } }
    hasLinks = stored.properties.contains { $0.kind != .value }
    unknown = zip(stored.properties, fields).compactMap { stored, field in
      if case .carried = field.use { stored } else { nil }
    }
    description = FileClass(schema, unknown: unknown)
  }

  private typealias Match = (number: Int, kind: FileClass.Kind)

  /// Returns the number of the matching property of the file for each property of the class, by
  /// name.
  private static func matches(
    of stored: FileClass, with schema: Schema, isMigrating: Bool
  ) throws(StoreFileError) -> [String: Match] {
    var numbers: [String: Int] = [:]
    for (number, property) in stored.properties.enumerated() {
      if numbers.updateValue(number, forKey: property.name) == nil { continue }
      throw .objects(
        GraphDecodingError(
          className: schema.name, property: property.name,
          reason: .malformed("the property is there twice")))
    }
    let names = schema.encodedNames(among: Set(numbers.keys))
    if !isMigrating { try checkRenamed(schema, names, stored) }
    var matches: [String: Match] = [:]
    for (property, present) in zip(schema.encodedProperties, FileClass(schema).properties) {
      guard let number = names[property.name].flatMap({ numbers[$0] }) else { continue }
      matches[property.name] = (number, present.kind)
    }
    return matches
  }

  /// Checks that each entry of `Object.renamed` has an effect, or had one.
  private static func checkRenamed(
    _ schema: Schema, _ names: [String: String], _ stored: FileClass
  ) throws(StoreFileError) {
    let known = Set(schema.encodedProperties.map(\.name))
    let renamed = schema.formerNames
    let former = Set(renamed.values)
    let matched = Set(names.values)
    // A property that another version of the app has stored isn't the former name of one of this
    // version.
    let unmatched = stored.properties.dropLast(stored.unknownCount).first {
      !matched.contains($0.name)
    }
    for (new, old) in renamed.sorted(by: { $0.key < $1.key }) {
      if !known.contains(new), !former.contains(new) {
        throw .renaming(
          className: schema.name, property: new,
          reason: "it is the new name of \(old), but the class has no such property")
      }
      if let unmatched, known.contains(new), names[new] == nil {
        throw .renaming(
          className: schema.name, property: new,
          reason: """
            it was named \(old), but the file has neither name; it has \(unmatched.name), which \
            the class lacks
            """)
      }
    }
  }
}

extension ClassUse.Use {
  fileprivate init(_ property: Property, as kind: FileClass.Kind) {
    switch kind {
    case .value: self = FieldCodec.make(property).map { .value($0) } ?? .dropped
    case .link: self = .link(LinkingField(property))
    case .list: self = .list(LinkingField(property))
    }
  }
}
