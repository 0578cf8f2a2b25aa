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
    guard let first = record.parts.first, first.type == type(of: root), first.base != nil,
      first.id == original?.objectID
    else { return }
    var restoring = DraftRestoring(record, of: self)
    restoring.run()
    refused.value = record.isRefused
    loads.mark()
  }
}

private struct DraftRestoring {
  private let record: DraftRecord
  private let core: DraftCore
  /// The copy and the baseline of each part reached so far.
  private var copies: [Int: Object] = [:]
  private var baselines: [Int: Object] = [:]
  private let copiesOfOriginals: [Object: Object]

  init(_ record: DraftRecord, of core: DraftCore) {
    (self.record, self.core) = (record, core)
    copiesOfOriginals = core.copies
    copies[0] = core.root
    baselines[0] = core.baselines[core.root]
  }

  mutating func run() {
    fill(isBase: false)
    fill(isBase: true)
    core.restored = copies.filter { $0.key > 0 }.map(\.value)
    for (place, object) in copies {
      for text in record.parts[place].typed {
        guard let property = object.schema.carriedProperty(named: text.property) else { continue }
        core.keepText(text.typed, of: object, property)
      }
    }
  }

  /// Restores the values of all objects reachable from the root, in the draft or in the baseline.
  private mutating func fill(isBase: Bool) {
    var (met, waiting) = (Set([0]), [0])
    var placed: Set<Object> = [core.root]
    while let place = waiting.popLast() {
      let part = record.parts[place]
      guard let object = isBase ? baselines[place] : copies[place] else { continue }
      for property in object.schema.carried {
        let mine = part.mine.first { $0.property == property.name }
        let base = part.base?.first { $0.property == property.name }
        guard let value = isBase ? base : mine ?? base else { continue }
        var objects: [ObjectID: Object] = [:]
        let ids = value.references.compactMap { reference -> ObjectID? in
          let found: Object?
          switch reference {
          case .part(let next):
            found = instance(next, isBase: isBase)
            if found != nil, met.insert(next).inserted { waiting.append(next) }
          case .object(let id):
            // The baseline referred to an object that is gone. A placeholder keeps the baseline
            // different from the draft's value.
            found =
              core.store.storedObject(id)
              ?? (isBase && mine != nil ? Object.gone(property.targetType, id: id) : nil)
          }
          guard let found else { return nil }
          if found.isEmbedded, !placed.insert(found).inserted { return nil }
          objects[found.objectID] = found
          return found.objectID
        }
        property.put(value, ids, into: object) { objects[$0] }
      }
    }
  }

  /// The copy or baseline of a part; nil if the part has none.
  private mutating func instance(_ place: Int, isBase: Bool) -> Object? {
    if let copy = copies[place] { return isBase ? baselines[place] : copy }
    guard record.parts.indices.contains(place) else { return nil }
    let part = record.parts[place]
    let original = part.id.map { id in
      core.store.storedObject(id).flatMap { type(of: $0) == part.type ? $0 : nil }
        ?? Object.gone(part.type, id: id)
    }
    // Except for the root, every drafted object is embedded.
    if original.map({ !$0.isEmbedded }) ?? false { return nil }
    let copy = original.flatMap { copiesOfOriginals[$0] } ?? part.type.init()
    copies[place] = copy
    if part.base != nil {
      let baseline = core.baselines[copy] ?? part.type.init()
      baselines[place] = baseline
      core.keep(copy, of: original ?? copy, madeFrom: baseline)
    }
    return isBase ? baselines[place] : copy
  }
}

extension DraftRecord.Value {
  /// The references of a link or list.
  fileprivate var references: [DraftRecord.Reference] {
    if let list = value as? [DraftRecord.Reference] { return list }
    return (value as? DraftRecord.Reference).map { [$0] } ?? []
  }
}

extension Property {
  /// Writes a recorded value, with the objects it refers to, to an unstored object.
  fileprivate func put(
    _ value: DraftRecord.Value, _ ids: [ObjectID], into object: Object, find: (ObjectID) -> Object?
  ) {
    let carried: any FieldValue =
      switch role {
      case .link: ids.first
      case .links: ids
      case .field, .primaryKey, .indexed, .inverse: value.value
      }
    if !ids.isEmpty { object.holdsLinks = true }
    if let value = self.value(carrying: carried, find: find, missing: { _ in }) {
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
