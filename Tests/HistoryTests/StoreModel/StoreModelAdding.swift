import Signals
import TestSupport

// Adding in the model: what is reached is added too, and taken keys fail, update or are ignored.

extension StoreModel {
  /// Objects that are not stored yet: what they have, in the order in which they were made.
  typealias Drafts = [(number: Int, node: Node)]

  /// Writes a link or list of a stored object.
  mutating func write(_ slot: Slot, of source: Int, _ new: [Int], _ drafts: Drafts) -> Outcome {
    guard let old = nodes[source]?[slot], old != new else { return .done }
    var after = self
    let arriving = new.filter { !isStored($0) }
    var failures = after.insertAll(arriving, adding: [], drafts)
    // What is embedded here does not move along into something new: it must be unlinked first.
    if after.owners == nil { failures.insert(.owned) }
    after.update(source) { $0[slot] = new }
    if after.owners == nil { failures.insert(.owned) }
    guard failures.isEmpty else { return .refused(failures) }
    self = after
    return .done
  }

  /// Adds objects, or nothing; the answer is why not.
  private mutating func insertAll(
    _ roots: [Int], adding: Set<Int>, _ drafts: Drafts
  ) -> Set<Failure> {
    let drafts = Dictionary(uniqueKeysWithValues: drafts.map { ($0.number, $0.node) })
    var failures: Set<Failure> = []
    var (found, next): ([Int], Int) = ([], 0)
    func reach(_ target: Int) {
      if isStored(target) || found.contains(target) { return }
      if target < 0 { failures.insert(.foreign) }
      if departed[target] != nil, !adding.contains(target) { failures.insert(.deleted) }
      found.append(target)
    }
    roots.forEach(reach)
    while next < found.count {
      for target in drafts[found[next]]?.refs.joined() ?? [[]].joined() { reach(target) }
      next += 1
    }
    for number in found {
      guard let node = drafts[number] else { continue }
      if node.isBeing, holder(of: node.key) != nil { failures.insert(.taken) }
      insert(number, node)
    }
    return failures
  }

  /// Adds objects with what they reach; `answers` has the stored objects that stand for them then.
  mutating func add(
    _ roots: [Int], _ policy: ConflictPolicy, _ drafts: Drafts
  ) -> Outcome {
    let new = roots.filter { !isStored($0) }
    if new.contains(where: { $0 < 0 }) { return .fails([.foreign]) }
    var after = self
    guard policy == .fail else {
      var upsert = ModelUpsert(model: after, updates: policy == .theirs, drafts, adding: Set(new))
      upsert.run(new)
      after = upsert.model
      if after.owners == nil { upsert.failures.insert(.owned) }
      guard upsert.failures.isEmpty else { return .fails(upsert.failures) }
      self = after
      answers = roots.map { upsert.counterparts[$0] ?? $0 }
      return .done
    }
    var failures = after.insertAll(new, adding: Set(new), drafts)
    let owners = after.owners
    if owners == nil { failures.insert(.owned) }
    for root in new where after.nodes[root]?.isBeing == false && owners?[root] == nil {
      failures.insert(.ownerless)
    }
    guard failures.isEmpty else { return .fails(failures) }
    self = after
    answers = roots
    return .done
  }
}

/// An upsert of values.
struct ModelUpsert {
  private(set) var model: StoreModel
  private let updates: Bool
  /// What comes, with what it has.
  private let coming: [Int: StoreModel.Node]
  private let adding: Set<Int>
  private(set) var counterparts: [Int: Int] = [:]
  private var pairs: [(new: Int, stored: Int)] = []
  private var inserted: [Int] = []
  var failures: Set<StoreModel.Failure> = []

  init(model: StoreModel, updates: Bool, _ drafts: StoreModel.Drafts, adding: Set<Int>) {
    self.model = model
    self.updates = updates
    self.adding = adding
    coming = Dictionary(uniqueKeysWithValues: drafts.map { ($0.number, $0.node) })
  }

  mutating func run(_ roots: [Int]) {
    if roots.contains(where: { coming[$0]?.isBeing == false }) { failures.insert(.ownerless) }
    var (waiting, next): ([Int], Int) = ([], 0)
    for root in roots where !waiting.contains(root) { waiting.append(root) }
    while next < waiting.count {
      let number = waiting[next]
      next += 1
      guard let node = coming[number], place(number, node) else { continue }
      if let stored = counterparts[number] { pairEmbedded(node, stored) }
      for target in node.refs.joined() where !isStored(target) && !waiting.contains(target) {
        if target < 0 { failures.insert(.foreign) }
        if model.departed[target] != nil, !adding.contains(target) { failures.insert(.deleted) }
        waiting.append(target)
      }
    }
    let counterparts = counterparts
    func standing(for numbers: [Int]) -> [Int] { numbers.map { counterparts[$0] ?? $0 } }
    for number in inserted { model.update(number) { $0.refs = $0.refs.map(standing) } }
    for (new, stored) in pairs {
      guard let node = coming[new] else { continue }
      model.update(stored) { present in
        (present.tag, present.text) = (node.tag, node.text)
        if !node.isBeing { present.key = node.key }
        present.refs = node.refs.map(standing)
      }
    }
  }

  private func isStored(_ number: Int) -> Bool { model.isStored(number) }

  /// Finds who has the key, or inserts; the answer is whether to look at what it leads to.
  private mutating func place(_ number: Int, _ node: StoreModel.Node) -> Bool {
    if counterparts[number] != nil { return true }
    guard node.isBeing, let holder = model.holder(of: node.key) else {
      model.insert(number, node)
      inserted.append(number)
      return true
    }
    if node.kind == .special, model.nodes[holder]?.kind == .being { failures.insert(.taken) }
    counterparts[number] = holder
    if updates { pairs.append((number, holder)) }
    return updates
  }

  /// What is embedded in the same place is updated.
  private mutating func pairEmbedded(_ new: StoreModel.Node, _ stored: Int) {
    guard let present = model.nodes[stored] ?? coming[stored] else { return }
    for slot in new.slots where slot.owns {
      for (part, other) in zip(new[slot], present[slot])
      where !isStored(part) && counterparts[part] == nil {
        counterparts[part] = other
        pairs.append((part, other))
      }
    }
  }
}
