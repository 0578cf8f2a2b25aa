// Recording a draft.
//
// Order of events: the objects reachable in the draft get places, from the root on, in the order in
// which links reach them. Then the objects reachable from the baselines get places, because some of
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
  private let core: DraftCore
  private var places: [Object: Int] = [:]
  private var objects: [Object] = []
  /// The copy of each baseline.
  private let copies: [Object: Object]

  init(of core: DraftCore) {
    self.core = core
    copies = Dictionary(core.baselines.map { ($1, $0) }) { first, _ in first }
  }

  mutating func run() -> DraftRecord {
    _ = place(of: core.root)
    var mine: [[DraftRecord.Value]] = []
    while mine.count < objects.count { mine.append(self.mine(objects[mine.count])) }
    var bases: [[DraftRecord.Value]?] = []
    while bases.count < objects.count { bases.append(base(objects[bases.count])) }
    // Texts for parts of values aren't recorded, because parts have no names.
    let texts = Dictionary(
      grouping: core.presentTexts.map(\.text).filter(\.part.isEmpty), by: \.object)
    let parts = objects.indices.map { place in
      let object = objects[place]
      let original = core.originals[object].flatMap { $0 === object ? nil : $0 }
      return DraftRecord.Part(
        type: type(of: object), id: original?.objectID, base: bases[place],
        mine: place < mine.count ? mine[place] : [],
        typed: (texts[object] ?? []).map {
          DraftRecord.Text(property: $0.property.name, typed: $0.typed)
        })
    }
    return DraftRecord(isRefused: core.refused.value, isNew: core.beganNew, parts: parts)
  }

  private mutating func place(of object: Object) -> Int {
    if let place = places[object] { return place }
    places[object] = objects.count
    objects.append(object)
    return objects.count - 1
  }

  private mutating func mine(_ object: Object) -> [DraftRecord.Value] {
    let schema = object.schema
    let part = core.baselines[object].flatMap { baseline in
      core.originals[object].map {
        DraftCore.Part(path: "", copy: object, original: $0, baseline: baseline, schema: schema)
      }
    }
    var values: [DraftRecord.Value] = []
    for property in schema.carried {
      object.track(property.offset)
      let targets = property.targets(in: object).map { reference(to: $0) }
      if let part, property.isSame(core.base(property, of: part), core.mine(property, of: part)) {
        continue
      }
      if let value = property.recorded(property.value(in: object), targets) { values.append(value) }
    }
    return values
  }

  private mutating func base(_ object: Object) -> [DraftRecord.Value]? {
    guard let baseline = core.baselines[object] else { return nil }
    return baseline.schema.carried.compactMap { property in
      let targets = property.targets(in: baseline).map { reference(to: copies[$0] ?? $0) }
      return property.recorded(property.value(in: baseline), targets)
    }
  }

  private mutating func reference(to object: Object) -> DraftRecord.Reference {
    let isUnstored = object.table == nil && !object.isGone
    if core.originals[object] != nil || isUnstored { return .part(place(of: object)) }
    return .object(object.objectID)
  }
}

extension Property {
  /// A value of the property as a record stores it, with references to its targets.
  fileprivate func recorded(
    _ value: Any, _ targets: [DraftRecord.Reference]
  ) -> DraftRecord.Value? {
    let carried: (any FieldValue)? =
      switch role {
      case .link: .some(targets.first)
      case .links: targets
      case .field, .primaryKey, .indexed, .inverse: self.carried(value)
      }
    return carried.map { DraftRecord.Value(property: name, value: $0) }
  }
}
