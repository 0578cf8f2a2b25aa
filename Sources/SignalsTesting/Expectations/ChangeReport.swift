internal import Signals

/// A description of changes in lines that are the same in every run of a test.
///
/// - Objects are named by class and primary key.
/// - Objects without a key, or with a random one, are numbered within their class: first the
///   existing ones in the order of the store, then the inserted ones. The only object of a class
///   has no number. If the order of the store wasn't recorded, only the objects in the report are
///   numbered: first those that still exist, then the deleted ones, then the inserted ones.
struct ChangeReport {
  private let changes: ChangeSet
  private var names: [ObjectID: String] = [:]
  /// The alternative names of objects with a random key, which contain the key.
  private(set) var aliases: [String: String] = [:]

  init(_ changes: ChangeSet, in store: Store, after order: StoreOrder = StoreOrder()) {
    self.changes = changes
    name(in: store, order)
  }

  /// One line for each object, property and list member.
  var lines: [String] {
    var text = ValueText()
    return lines(&text)
  }

  /// Returns the lines as part of a larger report, which shares `text`.
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
    // The change set contains the old properties of a deleted object. The report only says that it
    // was deleted.
    if change.kind == .deleted { return [head] }
    return [head]
      + change.properties.sorted { $0.name < $1.name }.flatMap { lines(of: $0, &text) }
  }

  private func lines(of property: ObjectChange.Property, _ text: inout ValueText) -> [String] {
    if let lines = property.listLines({ name(of: $0) }) {
      return lines.isEmpty ? [] : ["    \(property.name)"] + lines
    }
    var sides = [property.old, property.new].compactMap { $0.map { text.show($0) } }
    // The values differ even if their descriptions are equal.
    if sides.count == 2, sides[0] == sides[1] { sides[1] = "another \(sides[1])" }
    return ["    \(property.name): \(sides.joined(separator: " -> "))"]
  }

  // MARK: - Names

  private func name(of id: ObjectID) -> String { names[id] ?? "an object" }

  /// An object without a name that is unique in every run.
  private struct Unnamed {
    let id: ObjectID
    let title: ObjectTitle
    /// The rank: existing objects are 0, deleted ones 1, inserted ones 2.
    let group: Int
    let place: UInt64
  }

  private mutating func name(in store: Store, _ order: StoreOrder) {
    var unnamed: [String: [Unnamed]] = [:]
    var mentioned: Set<ObjectID> = []
    for (place, change) in changes.changes.enumerated() where mentioned.insert(change.id).inserted {
      let object = store.object(change.id)
      let title = object.map(ObjectTitle.init) ?? ObjectTitle(change)
      names[change.id] = title.text
      if title.isOwn { continue }
      let (group, place) =
        switch change.kind {
        case .modified: (0, object?.placeInStore ?? 0)
        case .deleted: (1, UInt64(place))
        case .inserted: (2, UInt64(place))
        }
      unnamed[title.text, default: []].append(
        Unnamed(id: change.id, title: title, group: group, place: place))
    }
    for id in changes.changes.flatMap(\.properties).flatMap(Self.links)
    where mentioned.insert(id).inserted {
      guard let object = store.object(id) else { continue }
      let title = ObjectTitle(object)
      names[id] = title.text
      if title.isOwn { continue }
      unnamed[title.text, default: []].append(
        Unnamed(id: id, title: title, group: 0, place: object.placeInStore))
    }
    for (className, objects) in unnamed {
      let sorted = objects.sorted { ($0.group, $0.place) < ($1.group, $1.place) }
      var known = order.objects[className] ?? []
      let there = Set(known)
      known += sorted.map(\.id).filter { !there.contains($0) }
      for object in objects where known.count > 1 {
        let number = known.firstIndex(of: object.id) ?? 0
        names[object.id] = "\(className) \(number + 1)"
      }
      for object in objects {
        if let alias = object.title.alias { aliases[alias] = names[object.id] }
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
}

/// The name of an object: its class, and its primary key if that is the same in every run.
struct ObjectTitle {
  let text: String
  /// The name with the random key, for tests that know the key.
  let alias: String?
  /// Whether the name identifies this object in every run.
  let isOwn: Bool

  init(_ object: Object) {
    self.init(
      String(describing: type(of: object)), key: object.primaryKey.map { ($0.name, $0.value) })
  }

  /// Creates the name of an object that may have been deleted.
  init(_ change: ObjectChange) {
    let key = change.primaryKey
    self.init(
      change.className, key: key.flatMap { key in (key.old ?? key.new).map { (key.name, $0) } })
  }

  init(_ className: String, key: (name: String, value: Any)?) {
    var plain = ValueText()
    plain.texts.mode = .known
    guard let key, !StableTexts.isRandom("\(key.value)") else {
      text = className
      alias = key.map { "\(className)(\($0.name): \(plain.show($0.value)))" }
      isOwn = false
      return
    }
    text = "\(className)(\(key.name): \(plain.show(key.value)))"
    alias = nil
    isOwn = true
  }
}

/// The objects of a store without a unique name, by class, in the order of the store.
///
/// The first object of a class decides whether all of them have unique names.
///
/// - Complexity: O(*n* log *n*), where *n* is the number of objects.
struct StoreOrder {
  private(set) var objects: [String: [ObjectID]] = [:]

  init() {}

  init(_ store: Store) {
    var classes: [ObjectIdentifier: [Object]] = [:]
    for object in store.storedObjects {
      classes[ObjectIdentifier(type(of: object)), default: []].append(object)
    }
    for objects in classes.values {
      guard let first = objects.first, !ObjectTitle(first).isOwn else { continue }
      self.objects[String(describing: type(of: first))] =
        objects.sorted { $0.placeInStore < $1.placeInStore }.map(\.objectID)
    }
  }
}
