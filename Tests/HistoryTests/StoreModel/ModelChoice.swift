import Signals
import SignalsTesting
import TestSupport

/// Chooses what is done next, by a seed and the model alone.
struct ModelChoice {
  var random: SeededRandom
  private var nextNumber: Int
  /// Beside what is stored: the numbers of the objects that are about to come.
  private var drafts: StoreModel.Drafts = []

  /// New objects have numbers after `last`.
  init(seed: UInt64, after last: Int = 0) {
    random = SeededRandom(seed: seed)
    nextNumber = last
  }

  mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  /// The steps of one transaction, each chosen for what the ones before it lead to.
  mutating func operations(_ model: StoreModel, atMost limit: Int, depth: Int = 0)
    -> [ModelOperation]
  {
    var model = model
    return (0..<(1 + number(limit))).map { _ in
      let next = operation(model, depth)
      model.make(next)
      return next
    }
  }

  mutating func operation(_ model: StoreModel, _ depth: Int = 0) -> ModelOperation {
    drafts = []
    let beings = model.ordered(\.isBeing)
    let limbs = model.ordered { !$0.isBeing }
    guard let being = beings.randomElement(using: &random), number(beings.count < 5 ? 3 : 9) > 0
    else { return add(model) }
    let any = number(3) == 0 ? limbs.randomElement(using: &random) ?? being : being
    if beings.count + limbs.count > 16, number(3) > 0 { return .delete(any) }
    if !model.ownerless.isEmpty, number(2) == 0 {
      return list(model, of: any, owning: true) ?? link(model, of: any, owning: true)
    }
    switch number(18) {
    case 0: return .delete(any)
    case 1: return .delete(unusual(model) ?? any)
    case 2, 3: return .setTag(any, number(7))
    case 4, 5: return .setText(any, text())
    case 6 where number(3) == 0: return .setKey(any, number(40))
    case 6:
      guard let gone = departed(model, .being) else { return .setTag(being, 0) }
      return .scribble(gone, text())
    case 7, 8, 9: return link(model, of: any, owning: false)
    case 10, 11: return link(model, of: any, owning: true)
    case 12 where depth < 2, 13 where depth < 2:
      return .savepoint(
        operations(model, atMost: 3, depth: depth + 1), fails: number(2) == 0)
    case 14: return list(model, of: any, owning: true) ?? .setTag(any, 3)
    default: return list(model, of: being, owning: false) ?? .setTag(any, 4)
    }
  }

  private mutating func text() -> String { number(60) == 0 ? "forbidden" : "t\(number(6))" }

  private mutating func departed(_ model: StoreModel, _ kind: StoreModel.Kind) -> Int? {
    let isBeing = kind != .limb
    return model.departed.filter { $0.value.isBeing == isBeing }.keys.sorted()
      .randomElement(using: &random)
  }

  /// What can't be deleted, or linked to.
  private mutating func unusual(_ model: StoreModel) -> Int? {
    number(3) == 0 ? StoreModel.foreigner : departed(model, number(2) == 0 ? .being : .limb)
  }

  // MARK: - Links

  private mutating func link(
    _ model: StoreModel, of number: Int, owning: Bool
  ) -> ModelOperation {
    let isBeing = model.nodes[number]?.isBeing ?? true
    let slots: [Slot] =
      isBeing
      ? (owning ? [.limb] : [.friend, .friend, .heir, .sponsor])
      : (owning ? [.part] : [.pet, .pin])
    let slot = slots[self.number(slots.count)]
    let isRid = self.number(slot.denies ? 2 : 4) == 0
    return .link(number, slot, isRid ? nil : target(model, slot, 2), drafts)
  }

  private mutating func list(
    _ model: StoreModel, of number: Int, owning: Bool
  ) -> ModelOperation? {
    let slot: Slot = model.nodes[number]?.isBeing == false ? .parts : owning ? .limbs : .list
    guard let list = model.nodes[number]?[slot] else { return nil }
    let edit = edit(model, slot, list)
    return .edit(number, slot, edit, drafts)
  }

  private mutating func edit(_ model: StoreModel, _ slot: Slot, _ list: [Int]) -> ListEdit {
    let count = list.count
    if count > 6 { return .replace(0..<self.number(count), []) }
    guard count > 0, self.number(4) > 0 else { return .append(target(model, slot, 2)) }
    let place = self.number(count)
    let range = place..<(place + self.number(count - place + 1))
    let offsets = list.indices.filter { _ in self.number(3) == 0 }
    switch self.number(14) {
    case 0: return .insert(target(model, slot, 2), at: self.number(count + 1))
    case 1: return .set(at: place, target(model, slot, 2))
    case 2: return .remove(at: place)
    case 3: return .removeFirst(list[place])
    case 4: return .removeOdd
    case 5: return .removeOffsets(offsets)
    case 6: return .move(offsets, to: self.number(count + 1))
    case 7: return .swap(place, self.number(count))
    case 8: return .sort
    case 9: return .reverse
    case 10: return .reverseSlice(range)
    case 11: return .replace(range, (0..<self.number(3)).map { _ in target(model, slot, 2) })
    case 12 where slot == .list: return .duplicate(range)
    case 13 where slot == .list:
      return .assign((0..<self.number(4)).map { _ in target(model, slot, 1) })
    default: return .swap(place, 0)
    }
  }

  /// What a link is to lead to: mostly what it may.
  private mutating func target(_ model: StoreModel, _ slot: Slot, _ depth: Int) -> Int {
    let chance = number(100)
    if chance == 0 { return slot.owns ? StoreModel.foreignLimb : StoreModel.foreigner }
    if slot.owns {
      if let free = model.ownerless.randomElement(using: &random), chance < 60 { return free }
      let limbs = model.ordered { !$0.isBeing } + drafts.filter { !$0.node.isBeing }.map(\.number)
      if (60..<64).contains(chance), let limb = limbs.randomElement(using: &random) { return limb }
      if (64..<66).contains(chance), let gone = departed(model, .limb) { return gone }
      return draftLimb(model, depth)
    }
    if chance < 3, let gone = departed(model, .being) { return gone }
    let coming = drafts.filter { $0.node.isBeing }.map(\.number)
    if chance < 20, let other = coming.randomElement(using: &random) { return other }
    if chance < 85, let being = model.ordered(\.isBeing).randomElement(using: &random) {
      return being
    }
    return draftBeing(model, depth)
  }

  // MARK: - What is to come

  private mutating func add(_ model: StoreModel) -> ModelOperation {
    let policies: [ConflictPolicy] = [.fail, .fail, .theirs, .theirs, .mine]
    let policy = policies[number(policies.count)]
    if number(25) == 0 {
      let limb = draftLimb(model, 1)
      return .add(drafts, roots: [limb], policy)
    }
    var roots = (0..<(1 + number(3) / 2)).map { _ in draftBeing(model, 2, policy) }
    if number(3) == 0, let gone = departed(model, .being) {
      roots.append(draftBeing(model, 1, policy, gone))
    }
    if number(12) == 0, let being = model.ordered(\.isBeing).first { roots.append(being) }
    return .add(drafts, roots: roots, policy)
  }

  private mutating func draftBeing(
    _ model: StoreModel, _ depth: Int, _ policy: ConflictPolicy = .fail, _ gone: Int? = nil
  ) -> Int {
    let kind = gone.flatMap { model.departed[$0]?.kind } ?? (number(3) == 0 ? .special : .being)
    var node = StoreModel.Node(kind)
    let taken = model.nodes.values.map(\.key) + drafts.map(\.node.key)
    let free = (0..<60).filter { !taken.contains($0) }
    let clashes = number(policy == .fail ? 25 : 2) == 0
    node.key = (clashes ? taken.sorted() : free).randomElement(using: &random) ?? 0
    return draft(node, gone) { choice, slot in
      let limit = slot.isList ? 3 : 1
      guard choice.number(slot.denies ? 10 : 3) == 0 else { return [] }
      return (0..<(1 + choice.number(limit))).map { _ in choice.shallow(model, slot, depth) }
    }
  }

  private mutating func draftLimb(_ model: StoreModel, _ depth: Int) -> Int {
    draft(StoreModel.Node(.limb)) { choice, slot in
      guard choice.number(slot.denies ? 20 : 4) == 0 else { return [] }
      return (0..<(1 + choice.number(slot.isList ? 2 : 1))).map { _ in
        choice.shallow(model, slot, depth)
      }
    }
  }

  /// A target, new only down to some depth.
  private mutating func shallow(_ model: StoreModel, _ slot: Slot, _ depth: Int) -> Int {
    if depth > 0 { return target(model, slot, depth - 1) }
    if slot.owns { return draft(StoreModel.Node(.limb)) { _, _ in [] } }
    return model.ordered(\.isBeing).randomElement(using: &random)
      ?? drafts.first { $0.node.isBeing }?.number ?? StoreModel.foreigner
  }

  /// Notes the draft before what it refers to, so that rings are possible.
  private mutating func draft(
    _ node: StoreModel.Node, _ gone: Int? = nil,
    _ refer: (inout ModelChoice, Slot) -> [Int]
  ) -> Int {
    nextNumber += gone == nil ? 1 : 0
    let number = gone ?? nextNumber
    var node = node
    node.tag = self.number(7)
    node.text = node.isBeing && self.number(6) == 0 ? "" : text()
    let place = drafts.count
    drafts.append((number, node))
    for slot in node.slots { drafts[place].node[slot] = refer(&self, slot) }
    return number
  }
}
