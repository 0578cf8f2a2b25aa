// Making a draft what a record of it says, in another process and maybe another version of the app.
//
// Order of events: the draft was just made, of the object as it is now. From its root on, the record's objects are made
// as links lead to them, and get their values: first those of the draft, then those that it was made from. What the
// record has no value for stays as it is now in both. Nothing in the record is believed: what it does not have or what
// can't stand there is left out, and an embedded object stands in the first place alone.

extension DraftCore {
  /// Makes a new draft what a record says; nothing happens if that is of another object.
  func restore(_ record: DraftRecord) {
    guard let first = record.parts.first, first.type == type(of: root), first.base != nil,
      first.id == original?.objectID
    else { return }
    var restoring = DraftRestoring(record, self)
    restoring.run()
    refused.value = record.isRefused
    loads.mark()
  }
}

private struct DraftRestoring {
  private let record: DraftRecord
  private let core: DraftCore
  /// The draft's object for each part that was met, and what that was made from.
  private var copies: [Int: Object] = [:]
  private var baselines: [Int: Object] = [:]
  private let copiesOfOriginals: [Object: Object]

  init(_ record: DraftRecord, _ core: DraftCore) {
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

  /// Gives the values to what can be reached from the root: in the draft, or in what it was made from.
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
            // What was there is gone: it is not what stands there now.
            found =
              core.store.storedObject(id)
              ?? (isBase && mine != nil ? Object.gone(property.targetType, id) : nil)
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

  /// The object of a part in the draft, or what it was made from; nil if there can be none.
  private mutating func instance(_ place: Int, isBase: Bool) -> Object? {
    if let copy = copies[place] { return isBase ? baselines[place] : copy }
    guard record.parts.indices.contains(place) else { return nil }
    let part = record.parts[place]
    let original = part.id.map { id in
      core.store.storedObject(id).flatMap { type(of: $0) == part.type ? $0 : nil }
        ?? Object.gone(part.type, id)
    }
    // All but the root of what is drafted is embedded.
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
  /// What a link or list leads to.
  fileprivate var references: [DraftRecord.Reference] {
    if let list = value as? [DraftRecord.Reference] { return list }
    return (value as? DraftRecord.Reference).map { [$0] } ?? []
  }
}

extension Property {
  /// Stores a value of a record, with the objects that it leads to, in an object that is not stored.
  fileprivate func put(
    _ value: DraftRecord.Value, _ ids: [ObjectID], into object: Object, find: (ObjectID) -> Object?
  ) {
    let carried: any FieldValue =
      switch role {
      case .link: ids.first
      case .links: ids
      case .field, .primaryKey, .indexed, .inverse: value.value
      }
    if !ids.isEmpty { unsafe object.holdsLinks = true }
    if let value = self.value(carrying: carried, find: find, missing: { _ in }) {
      put(value, into: object)
    }
  }
}

extension Object {
  /// What stands for a deleted object of which nothing is known but its id.
  fileprivate static func gone(_ type: Object.Type, _ id: ObjectID) -> Object {
    let object = type.init()
    object.give(id)
    unsafe object.isGone = true
    return object
  }
}
