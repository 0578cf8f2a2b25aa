internal import Signals

/// What happened to a graph, in lines that are the same in every run of a test.
///
/// Objects are named by class and primary key, those without one by class and the order of their making.
struct ChangeReport {
  private let changes: ChangeSet
  private var names: [ObjectID: String] = [:]

  init(_ changes: ChangeSet, in store: Store) {
    self.changes = changes
    name(in: store)
  }

  /// A line an object, a property, a member of a list.
  var lines: [String] {
    [ObjectChange.Kind.deleted, .modified, .inserted].flatMap { kind in
      changes.changes.filter { $0.kind == kind }.sorted { name(of: $0.id) < name(of: $1.id) }
        .flatMap(lines)
    }
  }

  private func lines(of change: ObjectChange) -> [String] {
    let sign =
      switch change.kind {
      case .inserted: "+"
      case .deleted: "-"
      case .modified: "~"
      }
    let head = "\(sign) \(name(of: change.id))"
    // What a deleted object was is on record; the test is told that it went.
    if change.kind == .deleted { return [head] }
    return [head] + change.properties.sorted { $0.name < $1.name }.flatMap(lines)
  }

  private func lines(of property: ObjectChange.Property) -> [String] {
    if let edits = property.listEdits {
      let lines =
        edits.removals.map { "      - \(name(of: $0.id)) at \($0.position)" }
        + edits.insertions.map { "      + \(name(of: $0.id)) at \($0.position)" }
        + edits.moves.map { "      > \(name(of: $0.id)) from \($0.old) to \($0.new)" }
      return lines.isEmpty ? [] : ["    \(property.name)"] + lines
    }
    let sides = [property.old, property.new].compactMap { $0.map(show) }
    return ["    \(property.name): \(sides.joined(separator: " -> "))"]
  }

  private func show(_ value: any FieldValue) -> String {
    switch value {
    case let text as String: text.debugDescription
    case let id as ObjectID?: id.map(name(of:)) ?? "nil"
    default: "\(value)"
    }
  }

  // MARK: - Names

  private func name(of id: ObjectID) -> String { names[id] ?? "an object" }

  private mutating func name(in store: Store) {
    var mentioned: [ObjectID: (name: String, hasKey: Bool)] = [:]
    for change in changes.changes { mentioned[change.id] = Self.name(of: change, in: store) }
    for id in changes.changes.flatMap(\.properties).flatMap(Self.links) where mentioned[id] == nil {
      mentioned[id] = store.object(id).map(Self.name)
    }
    var unnamed: [String: [ObjectID]] = [:]
    for (id, name) in mentioned {
      if name.hasKey { names[id] = name.name } else { unnamed[name.name, default: []].append(id) }
    }
    for (name, ids) in unnamed {
      for (index, id) in ids.sorted().enumerated() {
        names[id] = ids.count == 1 ? name : "\(name) \(index + 1)"
      }
    }
  }

  private static func links(in property: ObjectChange.Property) -> [ObjectID] {
    [property.old, property.new].flatMap { value -> [ObjectID] in
      switch value {
      case let ids as [ObjectID]: ids
      case let id as ObjectID?: id.map { [$0] } ?? []
      default: []
      }
    }
  }

  private static func name(of change: ObjectChange, in store: Store) -> (String, Bool) {
    if let object = store.object(change.id) { return name(of: object) }
    guard let key = change.primaryKey else { return (change.className, false) }
    return ("\(change.className)(\(key.name): \(text(of: key.old ?? key.new)))", true)
  }

  private static func name(of object: Object) -> (String, Bool) {
    let type = String(describing: type(of: object))
    guard let key = object.primaryKey else { return (type, false) }
    return ("\(type)(\(key.name): \(text(of: key.value)))", true)
  }

  /// What an object is called: its class, and its primary key if it has one.
  static func title(of object: Object) -> String { name(of: object).0 }

  private static func text(of value: (any FieldValue)?) -> String {
    switch value {
    case let text as String: text.debugDescription
    case let value?: "\(value)"
    case nil: "nil"
    }
  }
}
