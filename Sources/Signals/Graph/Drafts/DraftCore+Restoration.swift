// Restoring a draft from its record, in another process and possibly in another version of the app.
//
// Order of events: the draft was just created from the object's current values. From the root on,
// the record's objects are created as links reach them, and get their values, first those of the
// draft and then those of the baseline. A property without a value in the record keeps its current
// value in both. The record isn't trusted: references to missing objects and values of a wrong type
// are left out, and an embedded object that is referenced several times is kept in the first place
// only.

extension DraftCore {
  /// Restores a new draft from a record; does nothing if the record is of another object.
  func restore(_ record: DraftRecord) {
    guard let first = record.objects.first, first.type == type(of: root),
      first.kind == .modified, record.rootID == original?.objectID
    else { return }
    var restoring = DraftRestoring(record, into: self, root: first.id)
    restoring.run()
    refused.value = record.isRefused
    loads.mark()
  }
}

private struct DraftRestoring {
  private let record: DraftRecord
  private let core: DraftCore
  private let root: ObjectID
  private let changes: [ObjectID: ObjectChange]
  /// The copy and the baseline of each object of the record reached so far.
  private var copies: [ObjectID: Object] = [:]
  private var baselines: [ObjectID: Object] = [:]
  private let copiesOfOriginals: [Object: Object]

  init(_ record: DraftRecord, into core: DraftCore, root: ObjectID) {
    (self.record, self.core, self.root) = (record, core, root)
    changes = Dictionary(record.objects.map { ($0.id, $0) }) { first, _ in first }
    copiesOfOriginals = core.copies
    copies[root] = core.root
    baselines[root] = core.baselines[core.root]
  }

  mutating func run() {
    fill(isBase: false)
    fill(isBase: true)
    core.restored = copies.filter { $0.key != root }.map(\.value)
    for text in record.texts {
      guard let object = copies[text.object],
        let property = object.schema.carriedProperty(named: text.property)
      else { continue }
      core.keepText(text.typed, of: object, property)
    }
  }

  /// Restores the values of all objects reachable from the root, in the draft or in the baseline.
  private mutating func fill(isBase: Bool) {
    var (met, waiting) = (Set([root]), [root])
    var placed: Set<Object> = [core.root]
    while let id = waiting.popLast() {
      guard let change = changes[id], let object = isBase ? baselines[id] : copies[id] else {
        continue
      }
      for property in object.schema.encodedProperties {
        guard let recorded = change[property.name],
          let value = isBase ? recorded.old : recorded.new ?? recorded.old
        else { continue }
        var objects: [ObjectID: Object] = [:]
        let ids = property.ids(in: value).compactMap { id -> ObjectID? in
          let found: Object?
          if changes[id] != nil {
            found = instance(id, isBase: isBase)
            if found != nil, met.insert(id).inserted { waiting.append(id) }
          } else {
            // The baseline referred to an object that is gone. A placeholder keeps the baseline
            // different from the draft's value.
            found =
              core.store.storedObject(id)
              ?? (isBase && recorded.new != nil ? Object.gone(property.targetType, id: id) : nil)
          }
          guard let found else { return nil }
          if found.isEmbedded, !placed.insert(found).inserted { return nil }
          objects[id] = found
          return id
        }
        property.put(value, targets: ids, into: object) { objects[$0] }
      }
    }
  }

  /// The copy or baseline of an object of the record; nil if it has none.
  private mutating func instance(_ id: ObjectID, isBase: Bool) -> Object? {
    if let copy = copies[id] { return isBase ? baselines[id] : copy }
    guard let change = changes[id] else { return nil }
    var original: Object?
    if !id.isLocal {
      original =
        core.store.storedObject(id).flatMap { type(of: $0) == change.type ? $0 : nil }
        ?? Object.gone(change.type, id: id)
    }
    // Except for the root, every drafted object is embedded.
    if original.map({ !$0.isEmbedded }) ?? false { return nil }
    let copy = original.flatMap { copiesOfOriginals[$0] } ?? change.type.init()
    copies[id] = copy
    if change.kind != .inserted {
      let baseline = core.baselines[copy] ?? change.type.init()
      baselines[id] = baseline
      core.keep(copy, of: original ?? copy, madeFrom: baseline)
    }
    return isBase ? baselines[id] : copy
  }
}

extension Property {
  /// The ids of the targets in a recorded value of the property.
  fileprivate func ids(in value: any FieldValue) -> [ObjectID] {
    switch role {
    case .link: (value as? ObjectID).map { [$0] } ?? []
    case .links: value as? [ObjectID] ?? []
    case .field, .primaryKey, .indexed, .inverse: []
    }
  }

  /// Writes a recorded value to an unstored object, with the given targets.
  fileprivate func put(
    _ value: any FieldValue, targets: [ObjectID], into object: Object,
    find: (ObjectID) -> Object?
  ) {
    let encoded: any FieldValue =
      switch role {
      case .link: targets.first
      case .links: targets
      case .field, .primaryKey, .indexed, .inverse: value
      }
    if !targets.isEmpty { object.holdsLinks = true }
    if let value = self.value(decoding: encoded, find: find, missing: { _ in }) {
      put(value, into: object)
    }
  }
}

extension Object {
  /// A placeholder for a deleted object of which only the id is known.
  fileprivate static func gone(_ type: Object.Type, id: ObjectID) -> Object {
    let object = type.init()
    object.give(id)
    object.isGone = true
    return object
  }
}
