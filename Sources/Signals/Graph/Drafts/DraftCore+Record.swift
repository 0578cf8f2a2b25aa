// Recording a draft.
//
// Order of events: the objects reachable in the draft get ids, from the root on, in the order in
// which links reach them. Then the objects reachable from the baselines get ids, because some of
// them may have been removed from the draft since.

extension DraftCore {
  /// The record of the draft, empty if there is nothing uncommitted; all values read for it are
  /// tracked.
  ///
  /// - Complexity: O(properties of the object and of the objects it embeds).
  var record: DraftRecord {
    guard isDirty || refused.value || !presentTexts.isEmpty else { return DraftRecord() }
    var recording = DraftRecording(of: self)
    return recording.run()
  }
}

private struct DraftRecording {
  private typealias Values = [String: any FieldValue]

  private let core: DraftCore
  private var ids: [Object: ObjectID] = [:]
  private var objects: [Object] = []
  /// The copy of each baseline.
  private let copies: [Object: Object]

  init(of core: DraftCore) {
    self.core = core
    copies = Dictionary(core.baselines.map { ($1, $0) }) { first, _ in first }
  }

  mutating func run() -> DraftRecord {
    _ = id(of: core.root)
    var mine: [Values] = []
    while mine.count < objects.count { mine.append(self.mine(objects[mine.count])) }
    var bases: [Values?] = []
    while bases.count < objects.count { bases.append(base(objects[bases.count])) }
    let changes = objects.indices.map { index in
      let (base, mine) = (bases[index], index < mine.count ? mine[index] : [:])
      let object = objects[index]
      return ObjectChange(
        id: id(of: object), kind: base == nil ? .inserted : .modified,
        properties: object.schema.encodedProperties.compactMap { property in
          let (old, new) = (base?[property.name], mine[property.name])
          if old == nil, new == nil { return nil }
          return ObjectChange.Property(name: property.name, old: old, new: new)
        }, type: type(of: object))
    }
    // Texts for parts of values aren't recorded, because parts have no names.
    let texts = core.presentTexts.map(\.text).filter(\.part.isEmpty).compactMap { text in
      ids[text.object].map {
        DraftRecord.Text(object: $0, property: text.property.name, typed: text.typed)
      }
    }
    return DraftRecord(
      isRefused: core.refused.value, isNew: core.isNewObject, objects: changes, texts: texts)
  }

  private mutating func id(of object: Object) -> ObjectID {
    if let id = ids[object] { return id }
    let original = core.originals[object].flatMap { $0 === object ? nil : $0 }
    let id = original?.objectID ?? .local(objects.count)
    ids[object] = id
    objects.append(object)
    return id
  }

  /// The values of an object that differ from those of its baseline; all values if it has none.
  private mutating func mine(_ object: Object) -> Values {
    let schema = object.schema
    let part = core.baselines[object].flatMap { baseline in
      core.originals[object].map {
        DraftCore.Part(path: "", copy: object, original: $0, baseline: baseline, schema: schema)
      }
    }
    var values: Values = [:]
    for property in schema.encodedProperties {
      object.track(property.offset)
      let targets = property.targets(in: object).map { reference(to: $0) }
      if let part, property.isSame(core.base(property, of: part), core.mine(property, of: part)) {
        continue
      }
      values[property.name] = property.recorded(property.value(in: object), targets: targets)
    }
    return values
  }

  private mutating func base(_ object: Object) -> Values? {
    guard let baseline = core.baselines[object] else { return nil }
    var values: Values = [:]
    for property in baseline.schema.encodedProperties {
      let targets = property.targets(in: baseline).map { reference(to: copies[$0] ?? $0) }
      values[property.name] = property.recorded(property.value(in: baseline), targets: targets)
    }
    return values
  }

  private mutating func reference(to object: Object) -> ObjectID {
    let isUnstored = object.table == nil && !object.isGone
    return core.originals[object] != nil || isUnstored ? id(of: object) : object.objectID
  }
}

extension Property {
  /// A value of the property as a record stores it, with the ids of its targets.
  fileprivate func recorded(_ value: Any, targets: [ObjectID]) -> (any FieldValue)? {
    switch role {
    case .link: .some(targets.first)
    case .links: targets
    case .field, .primaryKey, .indexed, .inverse: encodedValue(of: value)
    }
  }
}
