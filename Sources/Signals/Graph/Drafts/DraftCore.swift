// What a draft compares: its copies, what they were copied from, and what that was like then.
//
// State: `root` and the copies below it belong to the user, who edits them. `originals` has the stored
// object of each copy; `baselines` a second copy, which nobody edits: the values that both had when the
// draft was made. All three change together, when the draft is loaded; `loads` tells who read them.
// For a new object there is no original yet: each copy stands for itself. `refused` tells that the last commit
// was refused because something is wrong with the draft; `validation` has what is wrong, and is evaluated when what
// the objects read for that has changed, `meanwhile` has what others made wrong; `places` has a trigger for each path
// for which a form has asked what is wrong: it is observed as long as that is on screen; for `texts` and `textChanges`
// see DraftTexts.swift. `restored` are the objects that a record of the draft has brought, and `keeping` is what keeps
// such a record, if anything does. DraftLoading.swift writes all of it but `refused`, which is written by
// DraftValidation.swift, and what DraftRestoring.swift writes before the draft is given out.

final class DraftCore {
  let store: Store
  let root: Object
  var original: Object?
  var originals: [Object: Object] = [:]
  var baselines: [Object: Object] = [:]
  var originalsOfBaselines: [Object: Object] = [:]
  let loads = Trigger { "a draft" }
  let refused = Signal(false, name: "a refused draft")
  var texts: [DraftText] = []
  let textChanges = Trigger { "what was typed into a draft" }
  /// What is wrong: asked once for all fields of a form.
  private(set) lazy var validation = Computed(name: "what is wrong with a draft") {
    [unowned self] in objectErrors
  }
  private(set) lazy var meanwhile = Computed(name: "what others made wrong in a draft") {
    [unowned self] in meanwhileErrors
  }
  var places: [String: Trigger] = [:]
  var restored: [Object] = []
  var keeping: AnyObject?
  /// Whether it was made as a draft of a new object, whatever that has become since.
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

  /// An object that is reached from another by what that embeds, and how.
  struct Embedded {
    let object: Object
    /// The way to its properties: empty, or `address.`, `lines[2].`.
    let path: String
  }

  /// An object and what it embeds now, the user's new objects too, owners first; reads are dependencies.
  ///
  /// Those that are not `included` are left out with all below them.
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

  /// Makes what the draft was loaded with a dependency.
  func trackLoads() { loads.track() }

  /// The user must not have added the copy.
  func checkIsDetached() {
    if unsafe root.extent != nil {
      trap("\(type(of: root)) of \(root.objectID) is a draft's object, and was added to a store")
    }
  }
}
