internal import Signals

/// What happened to a graph, in lines that are the same in every run of a test.
///
/// - Objects are named by class and primary key.
/// - Those without a key, or with a random one, are numbered within their class: those that were
///   there in the order of the store, then those that came. A class of which there was but one
///   needs no number. Where nobody has noted the order of the store, those that are told of are
///   numbered: first those that are there still, then those that went.
struct ChangeReport {
  private let changes: ChangeSet
  private var names: [ObjectID: String] = [:]
  /// What else the objects with a random key may be called: by that.
  private(set) var aliases: [String: String] = [:]

  init(_ changes: ChangeSet, in store: Store, after order: StoreOrder = StoreOrder()) {
    self.changes = changes
    name(in: store, order)
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

  /// An object that has no name of its own.
  private struct Unnamed {
    let id: ObjectID
    let title: ObjectTitle
    /// Before others: what is there, what went, what came.
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

/// What an object is called: its class, and its primary key if it has one that is the same in every
/// run.
struct ObjectTitle {
  let text: String
  /// What a test may call it that knows the random key.
  let alias: String?
  /// Whether the text is of this object alone, in every run.
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

/// The objects of a store that have no name of their own, by class, in the order of the store.
///
/// O(objects). What a class is called by its first object it is by all.
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
