// The untyped state of a draft: its copies, their originals, and their baselines.
//
// Invariants:
// - `originals`, `baselines` and `originalsOfBaselines` change together, when the draft is loaded or
//   discarded (DraftCore+Load.swift), and `loads` notifies their readers.
// - A new object has no original yet; its copies map to themselves.
// - The user edits `root` and the copies below it. A baseline is never edited.
// - DraftCore+Restoration.swift writes the restored state before the draft is handed out.

final class DraftCore {
  let store: Store
  /// The copy that the user edits.
  let root: Object
  /// The object of the draft; nil while it is new.
  var original: Object?
  /// The stored object of each copy.
  var originals: [Object: Object] = [:]
  /// A second copy of each copy, with the values that copy and original had when the draft was
  /// loaded.
  var baselines: [Object: Object] = [:]
  /// The stored object of each baseline.
  var originalsOfBaselines: [Object: Object] = [:]
  /// Notifies the readers of the three dictionaries.
  let loads = SettlingSource<Void> { "a draft" }
  /// Whether the last commit was refused because the draft had errors.
  let refused = Signal(false, name: "a refused draft")
  /// Typed text that can't be parsed; see DraftTexts.swift.
  var texts: [DraftText] = []
  /// Notifies the readers of `texts`.
  let textChanges = SettlingSource<Void> { "the typed texts of a draft" }
  /// The validation errors, evaluated once for all fields of a form.
  private(set) lazy var validation = Computed(name: "the validation of a draft") {
    [unowned self] in objectErrors
  }
  /// The errors caused by changes made outside the draft.
  private(set) lazy var externalErrors = Computed(name: "the external errors of a draft") {
    [unowned self] in currentExternalErrors
  }
  /// A source for each path whose errors a form has read, observed as long as the form is on
  /// screen.
  var places: [String: SettlingSource<Void>] = [:]
  /// The objects that were created from a record of the draft.
  var restored: [Object] = []
  /// The object that stores such a record.
  var keeping: AnyObject?
  /// Whether it was created as a draft of a new object, even if that was committed since.
  let isNewObject: Bool

  init(_ store: Store, of original: Object, isNewObject: Bool = false) {
    self.store = store
    self.isNewObject = isNewObject
    self.original = original
    let copy = DetachedCopy(of: original)
    root = copy.root
    keep(copy)
  }

  init(_ store: Store, new object: Object) {
    self.store = store
    isNewObject = true
    root = object
    keepNew()
  }

  deinit {
    let present = Node.withoutReader { embedded(in: root) { _ in true } }
    DraftCore.breakCycles(Array(originals.keys) + present.map(\.object) + restored)
    DraftCore.breakCycles(originalsOfBaselines.keys)
  }

  /// An object reached through embedding, with its path.
  struct Embedded {
    let object: Object
    /// The prefix of the names of its properties: empty, or `address.`, `lines[2].`.
    let path: String
  }

  /// An object and the objects it embeds now, including the user's new ones, owners first; the
  /// reads are tracked.
  ///
  /// An object for which `isIncluded` is false is left out, with all objects below it.
  func embedded(in object: Object, where isIncluded: (Object) -> Bool) -> [Embedded] {
    guard isIncluded(object) else { return [] }
    var found = [Embedded(object: object, path: "")]
    var seen: Set<Object> = [object]
    var next = 0
    while next < found.count {
      let owner = found[next]
      next += 1
      for property in owner.object.schema.embedding {
        owner.object.track(property.offset)
        for (index, target) in property.targets(in: owner.object).enumerated()
        where target.isEmbedded && seen.insert(target).inserted && isIncluded(target) {
          let place = property.role == .links ? "\(property.name)[\(index)]" : property.name
          found.append(Embedded(object: target, path: "\(owner.path)\(place)."))
        }
      }
    }
    return found
  }

  /// Breaks reference cycles of unstored copies, which ARC couldn't release: a copy refers back to
  /// the root where its original does.
  static func breakCycles(_ copies: some Collection<Object>) {
    let all = Set(copies)
    for copy in all where copy.table == nil {
      for property in copy.schema.linking {
        for target in property.targets(in: copy) where !target.isEmbedded && all.contains(target) {
          property.put(property.value(in: copy, without: target), into: copy)
        }
      }
    }
  }

  /// Makes loading the draft a dependency of the reader.
  func trackLoads() { loads.track() }

  /// Traps if the user has added the copy to a store.
  func checkIsDetached() {
    if root.table != nil {
      trap("\(type(of: root)) of \(root.objectID) is a draft's object, and was added to a store")
    }
  }
}
