// What a draft compares: its copies, what they were copied from, and what that was like then.
//
// State: `root` and the copies below it belong to the user, who edits them. `originals` has the stored
// object of each copy; `baselines` a second copy, which nobody edits: the values that both had when the
// draft was made. All three change together, when the draft is loaded; `loads` tells who read them.
// For a new object there is no original yet: each copy stands for itself. `refused` tells that the last commit
// was refused because something is wrong with the draft.
//
// Values are compared after links to copies were replaced by links to what the copies stand for.

final class DraftCore {
  let store: Store
  let root: Object
  var original: Object?
  private(set) var originals: [Object: Object] = [:]
  private var baselines: [Object: Object] = [:]
  private var originalsOfBaselines: [Object: Object] = [:]
  private let loads = Trigger { "a draft" }
  let refused = Signal(false, name: "a refused draft")

  init(_ store: Store, of original: Object) {
    self.store = store
    self.original = original
    let copy = DetachedCopy(of: original)
    root = copy.root
    keep(copy)
  }

  init(_ store: Store, new object: Object) {
    self.store = store
    root = object
    keepNew()
  }

  deinit {
    DraftCore.untie(Array(originals.keys) + embedded)
    DraftCore.untie(originalsOfBaselines.keys)
  }

  /// What the root embeds now, the user's new objects too.
  private var embedded: [Object] {
    var found: [Object] = [root]
    var seen: Set<Object> = [root]
    var next = 0
    while next < found.count {
      for property in found[next].schema.embedding {
        for target in property.targets(in: found[next])
        where target.isEmbedded && seen.insert(target).inserted {
          found.append(target)
        }
      }
      next += 1
    }
    return found
  }

  /// Takes rings of unstored copies apart, which nobody else would: they lead back to the root where
  /// their originals do.
  static func untie(_ copies: some Collection<Object>) {
    let all = Set(copies)
    for copy in all where unsafe copy.extent == nil {
      for property in copy.schema.linking {
        for target in property.targets(in: copy) where !target.isEmbedded && all.contains(target) {
          property.put(property.value(in: copy, without: target), into: copy)
        }
      }
    }
  }

  // MARK: - Loading

  /// Makes the draft one of the object as it is now; copies that are there already are used again.
  func load(_ object: Object, reusing present: [Object: Object]) {
    original = object
    batch { keep(DetachedCopy(of: object, reusing: present)) }
  }

  /// Makes the draft one of the object that was just committed, unless a transaction around that fails.
  func loadCommitted(_ object: Object, reusing present: [Object: Object]) {
    guard let transaction = store.transaction else { return load(object, reusing: present) }
    let before = Comparison(original, originals, baselines, originalsOfBaselines)
    originalsOfBaselines = [:]
    let values = originals.keys.map { ($0, $0.editable.map { $0.value }) }
    load(object, reusing: present)
    let loaded = values.map { copy, values in Loaded(copy, before: values) }
    transaction.ifRolledBack { [weak self] in
      batch {
        for values in loaded { values.takeBack() }
        self?.restore(before)
      }
    }
  }

  /// The values of a copy that were replaced when it was loaded.
  private struct Loaded {
    private let copy: Object
    private var values: [(property: Property, before: Any, after: Any)] = []

    init(_ copy: Object, before: [Any]) {
      self.copy = copy
      for ((property, after), before) in zip(copy.editable, before)
      where !property.isSame(before, after) {
        values.append((property, before, after))
      }
    }

    /// Puts back what nobody has edited since.
    func takeBack() {
      for (property, before, after) in values where property.isSame(after, in: copy) {
        property.put(before, into: copy)
      }
    }
  }

  private func restore(_ before: Comparison) {
    DraftCore.untie(originalsOfBaselines.keys)
    (original, originals, baselines) = (before.original, before.originals, before.baselines)
    originalsOfBaselines = before.originalsOfBaselines
    before.originalsOfBaselines = [:]
    loads.mark()
  }

  /// What a draft compared with, while the commit that replaced it may still be undone.
  private final class Comparison {
    let original: Object?
    let originals: [Object: Object]
    let baselines: [Object: Object]
    var originalsOfBaselines: [Object: Object]

    init(
      _ original: Object?, _ originals: [Object: Object], _ baselines: [Object: Object],
      _ originalsOfBaselines: [Object: Object]
    ) {
      self.original = original
      self.originals = originals
      self.baselines = baselines
      self.originalsOfBaselines = originalsOfBaselines
    }

    deinit { DraftCore.untie(originalsOfBaselines.keys) }
  }

  func discard() {
    checkIsDetached()
    refused.value = false
    if let original {
      load(original, reusing: copies)
    } else if let baseline = baselines[root] {
      let present = Dictionary(uniqueKeysWithValues: baselines.map { ($1, $0) })
      batch {
        _ = DetachedCopy(of: baseline, reusing: present)
        keepNew()
      }
    }
  }

  /// The copy of each original.
  var copies: [Object: Object] {
    Dictionary(originals.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private func keep(_ copy: DetachedCopy) {
    keep(copy.pairs.map { ($0.copy, $0.original) }, DetachedCopy(of: copy.root))
  }

  private func keepNew() {
    let base = DetachedCopy(of: root)
    keep(base.pairs.map { ($0.original, $0.original) }, base)
  }

  private func keep(_ pairs: [(copy: Object, original: Object)], _ base: DetachedCopy) {
    DraftCore.untie(originalsOfBaselines.keys)
    originals = Dictionary(uniqueKeysWithValues: pairs.map { ($0.copy, $0.original) })
    baselines = base.copies
    originalsOfBaselines = [:]
    for (copy, baseline) in base.copies { originalsOfBaselines[baseline] = originals[copy] }
    loads.mark()
  }

  /// Makes what the draft was loaded with a dependency.
  func trackLoads() { loads.track() }

  /// The user must not have added the copy.
  func checkIsDetached() {
    if unsafe root.extent != nil {
      trap("\(type(of: root)) of \(root.objectID) is a draft's object, and was added to a store")
    }
  }

  // MARK: - Comparing

  /// A copy that stands for a stored object, how to get there from the root, and as it was.
  struct Part {
    let path: String
    let copy: Object
    let original: Object
    let baseline: Object
    let schema: Schema
  }

  /// The copies that can be reached from one, owners first; reads are dependencies.
  func parts(of copy: Object, path: String = "") -> [Part] {
    var parts: [Part] = []
    var waiting = [(copy: copy, path: path)]
    var seen: Set<Object> = [copy]
    var next = 0
    while next < waiting.count {
      let (copy, path) = waiting[next]
      next += 1
      guard let original = originals[copy], let baseline = baselines[copy] else { continue }
      let schema = copy.schema
      parts.append(
        Part(path: path, copy: copy, original: original, baseline: baseline, schema: schema))
      for property in schema.embedding {
        copy.track(property.offset)
        for (index, target) in property.targets(in: copy).enumerated()
        where target.isEmbedded && seen.insert(target).inserted {
          let place = property.role == .links ? "\(property.name)[\(index)]" : property.name
          waiting.append((target, "\(path)\(place)."))
        }
      }
    }
    return parts
  }

  /// The value of a property in the draft; a read is a dependency.
  func mine(_ property: Property, _ part: Part) -> Any {
    part.copy.track(property.offset)
    return property.value(in: part.copy, replacing: originals)
  }

  /// The value that it had when the draft was made.
  func base(_ property: Property, _ part: Part) -> Any {
    property.value(in: part.baseline, replacing: originalsOfBaselines)
  }

  /// Whether anything is changed in a copy, or in what it embeds.
  func isChanged(_ copy: Object) -> Bool {
    parts(of: copy).contains { part in
      part.schema.properties.contains { property in
        property.role != .inverse && !property.isSame(base(property, part), mine(property, part))
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
        let (base, mine) = (base(property, part), mine(property, part))
        if property.isSame(base, mine) { return nil }
        return ObjectChange.Property(
          name: part.path + property.name, old: property.carried(base),
          new: property.carried(mine))
      }
    }
  }

  var trackedBaseline: Object {
    loads.track()
    return baselines[root] ?? root
  }

  /// Whether what was read from the draft differs from what was read from its baseline.
  func differs<Value: Equatable>(_ mine: Value, _ base: Value) -> Bool {
    if let mine = Self.objects(in: mine), let base = Self.objects(in: base) {
      return mine.map { originals[$0] ?? $0 } != base.map { originalsOfBaselines[$0] ?? $0 }
        || mine.contains { $0.isEmbedded && isChanged($0) }
    }
    return !Sameness.areSameIfEqual(mine, base)
  }

  /// The objects that a link or list refers to; nil if the value is neither.
  private static func objects<Value>(in value: Value) -> [Object]? {
    if let list = value as? any ObjectList { return list.objects }
    if let object = value as? Object { return [object] }
    return Value.self is any OptionalObject.Type ? [] : nil
  }
}

extension Object {
  /// What a draft may change, with its present values.
  fileprivate var editable: [(property: Property, value: Any)] {
    schema.properties.filter { $0.role != .inverse }.map { ($0, $0.value(in: self)) }
  }
}

/// A list, whatever the type of its elements.
private protocol ObjectList { var objects: [Object] { get } }

extension List: ObjectList { fileprivate var objects: [Object] { Array(tree) } }

/// A link, whatever the type of its target.
private protocol OptionalObject {}

extension Optional: OptionalObject where Wrapped: Object {}
