internal import Signals

/// What happened to a graph, in lines that are the same in every run of a test.
///
/// - Objects are named by class and primary key.
/// - Those without a key, or with a random one, are named by class, and if there are several
///   numbered: first those that were there and still are, in the order of the store, then those
///   that went, then those that came.
struct ChangeReport {
  private let changes: ChangeSet
  private var names: [ObjectID: String] = [:]

  init(_ changes: ChangeSet, in store: Store) {
    self.changes = changes
    names = ChangeReport.names(changes, in: store)
  }

  /// A line an object, a property, a member of a list.
  var lines: [String] {
    var text = ValueText()
    return lines(&text)
  }

  /// The lines likewise, in a report of which they are a part.
  func lines(_ text: inout ValueText) -> [String] {
    text.name = name(of:)
    return [ObjectChange.Kind.deleted, .modified, .inserted].flatMap { kind in
      changes.changes.filter { $0.kind == kind }.sorted { name(of: $0.id) < name(of: $1.id) }
        .flatMap { lines(of: $0, &text) }
    }
  }

  private func lines(of change: ObjectChange, _ text: inout ValueText) -> [String] {
    let sign =
      switch change.kind {
      case .inserted: "+"
      case .deleted: "-"
      case .modified: "~"
      }
    let head = "\(sign) \(name(of: change.id))"
    // What a deleted object was is on record; the test is told that it went.
    if change.kind == .deleted { return [head] }
    return [head]
      + change.properties.sorted { $0.name < $1.name }.flatMap { lines(of: $0, &text) }
  }

  private func lines(of property: ObjectChange.Property, _ text: inout ValueText) -> [String] {
    if let edits = property.listEdits {
      let lines =
        edits.removals.map { "      - \(name(of: $0.id)) at \($0.position)" }
        + edits.insertions.map { "      + \(name(of: $0.id)) at \($0.position)" }
        + edits.moves.map { "      > \(name(of: $0.id)) from \($0.old) to \($0.new)" }
      return lines.isEmpty ? [] : ["    \(property.name)"] + lines
    }
    var sides = [property.old, property.new].compactMap { $0.map { text.show($0) } }
    // They differ, whatever they say of themselves.
    if sides.count == 2, sides[0] == sides[1] { sides[1] = "another \(sides[1])" }
    return ["    \(property.name): \(sides.joined(separator: " -> "))"]
  }

  // MARK: - Names

  private func name(of id: ObjectID) -> String { names[id] ?? "an object" }

  /// Where an object stands among those of its class that have no name of their own.
  private struct Rank: Comparable {
    let group: Int
    let place: UInt64

    static func < (lhs: Rank, rhs: Rank) -> Bool {
      (lhs.group, lhs.place) < (rhs.group, rhs.place)
    }
  }

  private static func names(_ changes: ChangeSet, in store: Store) -> [ObjectID: String] {
    var names: [ObjectID: String] = [:]
    var unnamed: [String: [(id: ObjectID, rank: Rank)]] = [:]
    func note(_ id: ObjectID, _ title: ObjectTitle, _ rank: Rank) {
      if title.isOwn {
        names[id] = title.text
      } else {
        unnamed[title.text, default: []].append((id, rank))
      }
    }
    var mentioned: Set<ObjectID> = []
    for (place, change) in changes.changes.enumerated() where mentioned.insert(change.id).inserted {
      let object = store.object(change.id)
      let title = object.map(ObjectTitle.init) ?? ObjectTitle(change)
      let rank =
        switch change.kind {
        case .modified: Rank(group: 0, place: object?.placeInStore ?? 0)
        case .deleted: Rank(group: 1, place: UInt64(place))
        case .inserted: Rank(group: 2, place: UInt64(place))
        }
      note(change.id, title, rank)
    }
    for id in changes.changes.flatMap(\.properties).flatMap(links)
    where mentioned.insert(id).inserted {
      guard let object = store.object(id) else { continue }
      note(id, ObjectTitle(object), Rank(group: 0, place: object.placeInStore))
    }
    for (name, objects) in unnamed {
      for (index, object) in objects.sorted(by: { $0.rank < $1.rank }).enumerated() {
        names[object.id] = objects.count == 1 ? name : "\(name) \(index + 1)"
      }
    }
    return names
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
}

/// What an object is called: its class, and its primary key if it has one that is the same in every
/// run.
struct ObjectTitle {
  let text: String
  /// Whether no other object of the class is called so.
  let isOwn: Bool

  init(_ object: Object) {
    self.init(
      String(describing: type(of: object)), object.primaryKey.map { ($0.name, $0.value) })
  }

  /// What an object was called that may be gone.
  init(_ change: ObjectChange) {
    let key = change.primaryKey
    self.init(
      change.className, key.flatMap { key in (key.old ?? key.new).map { (key.name, $0) } })
  }

  init(_ className: String, _ key: (name: String, value: Any)?) {
    var plain = ValueText()
    plain.texts.isFrozen = true
    guard let key, !StableTexts.isRandom("\(key.value)") else {
      text = className
      isOwn = false
      return
    }
    text = "\(className)(\(key.name): \(plain.show(key.value)))"
    isOwn = true
  }
}
