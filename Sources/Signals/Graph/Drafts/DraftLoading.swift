// Loading a draft: what it is of, and what it is compared with.
//
// Order of events: the copies get the values of the object; second copies are made of them, as they are now. If the
// transaction in which a draft was committed is undone later, the values that nobody has edited since, and what the
// draft compared with, come back.

extension DraftCore {
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
    let replaced = (originals, baselines, originalsOfBaselines)
    DraftCore.untie(originalsOfBaselines.keys)
    (original, originals, baselines) = (before.original, before.originals, before.baselines)
    originalsOfBaselines = before.originalsOfBaselines
    before.originalsOfBaselines = [:]
    loads.mark()
    withExtendedLifetime(replaced) {}
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

  func keep(_ copy: DetachedCopy) {
    keep(copy.pairs.map { ($0.copy, $0.original) }, DetachedCopy(of: copy.root))
  }

  func keepNew() {
    let base = DetachedCopy(of: root)
    keep(base.pairs.map { ($0.original, $0.original) }, base)
  }

  /// Compares a copy with what it is of, and with what it was made from.
  func keep(_ copy: Object, of original: Object, madeFrom baseline: Object) {
    originals[copy] = original
    baselines[copy] = baseline
    originalsOfBaselines[baseline] = original
  }

  private func keep(_ pairs: [(copy: Object, original: Object)], _ base: DetachedCopy) {
    // Objects of the user's class go with these, when the draft is whole.
    let replaced = (originals, baselines, originalsOfBaselines)
    DraftCore.untie(originalsOfBaselines.keys)
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
  /// What a draft may change, with its present values.
  fileprivate var editable: [(property: Property, value: Any)] {
    schema.properties.filter { $0.role != .inverse }.map { ($0, $0.value(in: self)) }
  }
}
