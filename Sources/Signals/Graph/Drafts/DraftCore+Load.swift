// Loading a draft: setting its original and its baselines.
//
// Order of events: the copies get the object's values; then the baselines are made as second copies
// of them. If the transaction of a commit is rolled back later, the draft gets its previous
// originals and baselines back, and the values that weren't edited since.

extension DraftCore {
  /// Loads the draft with the object's current values; existing copies are reused.
  func load(_ object: Object, reusing present: [Object: Object]) {
    original = object
    batch { keep(DetachedCopy(of: object, reusing: present)) }
  }

  /// Loads the draft with the object that was just committed, and reverts that if an enclosing
  /// transaction is rolled back.
  func loadCommitted(_ object: Object, reusing present: [Object: Object]) {
    guard let transaction = store.transaction else { return load(object, reusing: present) }
    let before = Comparison(
      original: original, originals: originals, baselines: baselines,
      originalsOfBaselines: originalsOfBaselines)
    originalsOfBaselines = [:]
    let values = originals.keys.map { ($0, $0.editable.map { $0.value }) }
    load(object, reusing: present)
    let loaded = values.map { copy, values in Loaded(copy, before: values) }
    transaction.ifRolledBack { [weak self] in
      batch {
        for values in loaded { values.revert() }
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

    /// Restores the values that weren't edited since.
    func revert() {
      for (property, before, after) in values where property.isSame(after, in: copy) {
        property.put(before, into: copy)
      }
    }
  }

  private func restore(_ before: Comparison) {
    let replaced = (originals, baselines, originalsOfBaselines)
    DraftCore.breakCycles(originalsOfBaselines.keys)
    (original, originals, baselines) = (before.original, before.originals, before.baselines)
    originalsOfBaselines = before.originalsOfBaselines
    before.originalsOfBaselines = [:]
    loads.mark()
    withExtendedLifetime(replaced) {}
  }

  /// The previous originals and baselines of a draft, while the commit that replaced them can still
  /// be rolled back.
  private final class Comparison {
    let original: Object?
    let originals: [Object: Object]
    let baselines: [Object: Object]
    var originalsOfBaselines: [Object: Object]

    init(
      original: Object?, originals: [Object: Object], baselines: [Object: Object],
      originalsOfBaselines: [Object: Object]
    ) {
      self.original = original
      self.originals = originals
      self.baselines = baselines
      self.originalsOfBaselines = originalsOfBaselines
    }

    deinit { DraftCore.breakCycles(originalsOfBaselines.keys) }
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

  func keep(_ copy: DetachedCopy) {
    keep(copy.pairs.map { ($0.copy, $0.original) }, base: DetachedCopy(of: copy.root))
  }

  func keepNew() {
    let base = DetachedCopy(of: root)
    keep(base.pairs.map { ($0.original, $0.original) }, base: base)
  }

  /// Registers a copy with its original and its baseline.
  func keep(_ copy: Object, of original: Object, madeFrom baseline: Object) {
    originals[copy] = original
    baselines[copy] = baseline
    originalsOfBaselines[baseline] = original
  }

  private func keep(_ pairs: [(copy: Object, original: Object)], base: DetachedCopy) {
    // Releasing these can run user code in `deinit`, so they are kept until the draft is
    // consistent.
    let replaced = (originals, baselines, originalsOfBaselines)
    DraftCore.breakCycles(originalsOfBaselines.keys)
    originals = Dictionary(uniqueKeysWithValues: pairs.map { ($0.copy, $0.original) })
    baselines = base.copies
    originalsOfBaselines = [:]
    for (copy, baseline) in base.copies { originalsOfBaselines[baseline] = originals[copy] }
    dropTexts()
    loads.mark()
    withExtendedLifetime(replaced) {}
  }
}

extension Object {
  /// The properties that a draft may change, with their current values.
  fileprivate var editable: [(property: Property, value: Any)] {
    schema.properties.filter { $0.role != .inverse }.map { ($0, $0.value(in: self)) }
  }
}
