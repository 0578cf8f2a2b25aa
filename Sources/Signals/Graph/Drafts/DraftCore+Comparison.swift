// Comparing a draft with its baseline.
//
// Before values are compared, links to copies are replaced by links to the originals.

extension DraftCore {
  /// A copy with its path from the root, its original and its baseline.
  struct Part {
    let path: String
    let copy: Object
    let original: Object
    let baseline: Object
    let schema: Schema
  }

  /// The copies reachable from `copy`, owners first; the reads are tracked.
  func parts(of copy: Object) -> [Part] {
    embedded(in: copy) { originals[$0] != nil && baselines[$0] != nil }.compactMap { embedded in
      let copy = embedded.object
      guard let original = originals[copy], let baseline = baselines[copy] else { return nil }
      return Part(
        path: embedded.path, copy: copy, original: original, baseline: baseline,
        schema: copy.schema)
    }
  }

  /// The value of a property in the draft; reads are tracked.
  func mine(_ property: Property, of part: Part) -> Any {
    part.copy.track(property.offset)
    return property.value(in: part.copy, replacing: originals)
  }

  /// The value of a property when the draft was loaded.
  func base(_ property: Property, of part: Part) -> Any {
    property.value(in: part.baseline, replacing: originalsOfBaselines)
  }

  /// Whether a copy, or an object that it embeds, has changes.
  func isChanged(_ copy: Object) -> Bool {
    parts(of: copy).contains { part in
      part.schema.properties.contains { property in
        property.role != .inverse
          && !property.isSame(base(property, of: part), mine(property, of: part))
      }
    }
  }

  var isDirty: Bool {
    loads.track()
    return isChanged(root)
  }

  var changes: [ObjectChange.Property] {
    loads.track()
    return parts(of: root).flatMap { part in
      part.schema.properties.compactMap { property in
        guard property.role != .inverse else { return nil }
        let (base, mine) = (base(property, of: part), mine(property, of: part))
        if property.isSame(base, mine) { return nil }
        return ObjectChange.Property(
          name: part.path + property.name, old: property.encodedValue(of: base),
          new: property.encodedValue(of: mine))
      }
    }
  }

  var trackedBaseline: Object {
    loads.track()
    return baselines[root] ?? root
  }

  /// Whether a value read from the draft differs from the value read from its baseline.
  func differs<Value: Equatable>(_ mine: Value, from base: Value) -> Bool {
    if let mine = Self.objects(in: mine), let base = Self.objects(in: base) {
      return mine.map { originals[$0] ?? $0 } != base.map { originalsOfBaselines[$0] ?? $0 }
        || mine.contains { $0.isEmbedded && isChanged($0) }
    }
    return !ValueEquality.areEqual(mine, base)
  }

  /// The objects that a link or list refers to; nil if the value is neither.
  private static func objects<Value>(in value: Value) -> [Object]? {
    if let list = value as? any ObjectList { return list.objects }
    if let object = value as? Object { return [object] }
    return Value.self is any OptionalObject.Type ? [] : nil
  }
}

/// A list with any type of elements.
private protocol ObjectList { var objects: [Object] { get } }

extension List: ObjectList { fileprivate var objects: [Object] { Array(tree) } }

/// An optional link with any type of target.
private protocol OptionalObject {}

extension Optional: OptionalObject where Wrapped: Object {}
