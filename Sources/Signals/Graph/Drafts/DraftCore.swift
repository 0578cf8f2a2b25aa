// The untyped state of a draft: its copies, their originals, and their baselines.
//
// State:
// - `root` and the copies below it: belong to the user, who edits them.
// - `originals`: the stored object of each copy. A new object has no original yet; its copies map
//   to themselves.
// - `baselines`: a second copy of each copy, which is never edited. It has the values that copy and
//   original had when the draft was loaded. `originalsOfBaselines` maps the baselines to the
//   originals.
// - `loads`: notifies the readers of these three dictionaries, which change together when the draft
//   is loaded.
// - `refused`: whether the last commit was refused because the draft had errors.
// - `validation`: the errors of the objects, re-evaluated when a value that they depend on has
//   changed.
// - `meanwhile`: the errors caused by changes made outside the draft.
// - `places`: a source for each path whose errors a form has read. It is observed as
//   long as the form is on screen.
// - `texts`, `textChanges`: see DraftTexts.swift.
// - `restored`: the objects that were created from a record of the draft.
// - `keeping`: the object that stores such a record, if there is one.
//
// DraftCore+Load.swift writes `original`, the dictionaries of objects and, on discard, `refused`.
// DraftValidation.swift writes `refused` and `places`, DraftTexts.swift the texts, and
// DraftCore+Restoration.swift the restored state before the draft is handed out.

final class DraftCore {
  let store: Store
  let root: Object
  var original: Object?
  var originals: [Object: Object] = [:]
  var baselines: [Object: Object] = [:]
  var originalsOfBaselines: [Object: Object] = [:]
  let loads = SettlingSource<Void> { "a draft" }
  let refused = Signal(false, name: "a refused draft")
  var texts: [DraftText] = []
  let textChanges = SettlingSource<Void> { "what was typed into a draft" }
  /// The validation errors, evaluated once for all fields of a form.
  private(set) lazy var validation = Computed(name: "what is wrong with a draft") {
    [unowned self] in objectErrors
  }
  private(set) lazy var meanwhile = Computed(name: "what others made wrong in a draft") {
    [unowned self] in meanwhileErrors
  }
  var places: [String: SettlingSource<Void>] = [:]
  var restored: [Object] = []
  var keeping: AnyObject?
  /// Whether it was created as a draft of a new object, even if that was committed since.
  let beganNew: Bool

  init(_ store: Store, of original: Object, beganNew: Bool = false) {
    self.store = store
    self.beganNew = beganNew
    self.original = original
    let copy = DetachedCopy(of: original)
    root = copy.root
    keep(copy)
  }

  init(_ store: Store, new object: Object) {
    self.store = store
    beganNew = true
    root = object
    keepNew()
  }

  deinit {
    let present = Node.withoutReader { embedded(in: root) { _ in true } }
    DraftCore.untie(Array(originals.keys) + present.map(\.object) + restored)
    DraftCore.untie(originalsOfBaselines.keys)
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
  static func untie(_ copies: some Collection<Object>) {
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
