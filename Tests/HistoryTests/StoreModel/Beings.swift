import Signals
import TestSupport

// The graph that the model of everything is about: every kind of property, each rule of deletion, links
// that close into rings, and embedded objects at any depth.

class Being: Object {
  @PrimaryKey var key = 0
  @Indexed var tag = 0
  @Field var text = ""
  @Link var friend: Being?
  @Link(onDelete: .cascade) var heir: Being?
  @Link(onDelete: .deny) var sponsor: Being?
  @Links var list: List<Being>
  @Link var limb: Limb?
  @Links var limbs: List<Limb>
  @Inverse(\Being.friend) var friendOf
  @Inverse(\Being.list) var listedBy
  /// What the model calls it.
  var number = 0
  var headcount: Headcount?

  deinit { headcount?.count -= 1 }
}

final class SpecialBeing: Being {
  @Field var extra = 0
}

final class Limb: EmbeddedObject {
  @Field var key = 0
  @Indexed var tag = 0
  @Field var text = ""
  @Link(onDelete: .cascade) var pet: Being?
  @Link(onDelete: .deny) var pin: Being?
  @Link var part: Limb?
  @Links var parts: List<Limb>
  var number = 0
  var headcount: Headcount?

  deinit { headcount?.count -= 1 }
}

/// How many objects of a history are alive.
final class Headcount { var count = 0 }

/// A link or list of either class, in the order of declaration.
enum Slot: Int {
  case friend, heir, sponsor, list, limb, limbs
  case pet, pin, part, parts

  static let ofBeing: [Slot] = [.friend, .heir, .sponsor, .list, .limb, .limbs]
  static let ofLimb: [Slot] = [.pet, .pin, .part, .parts]

  /// Its place among those of its class.
  var index: Int { rawValue < 6 ? rawValue : rawValue - 6 }
  var isList: Bool { self == .list || self == .limbs || self == .parts }
  var owns: Bool { self == .limb || self == .limbs || self == .part || self == .parts }
  var cascades: Bool { self == .heir || self == .pet }
  var denies: Bool { self == .sponsor || self == .pin }
  var name: String { "\(self)" }
}

extension Object {
  /// What the model calls the object.
  var modelNumber: Int {
    if let being = self as? Being { return being.number }
    return (self as? Limb)?.number ?? 0
  }

  /// What the link or list of a slot refers to.
  func targets(_ slot: Slot) -> [Object] {
    switch (slot, self) {
    case (.friend, let being as Being): being.friend.map { [$0] } ?? []
    case (.heir, let being as Being): being.heir.map { [$0] } ?? []
    case (.sponsor, let being as Being): being.sponsor.map { [$0] } ?? []
    case (.list, let being as Being): Array(being.list)
    case (.limb, let being as Being): being.limb.map { [$0] } ?? []
    case (.limbs, let being as Being): Array(being.limbs)
    case (.pet, let limb as Limb): limb.pet.map { [$0] } ?? []
    case (.pin, let limb as Limb): limb.pin.map { [$0] } ?? []
    case (.part, let limb as Limb): limb.part.map { [$0] } ?? []
    case (.parts, let limb as Limb): Array(limb.parts)
    default: []
    }
  }

  /// Assigns the link or list of a slot.
  func set(_ slot: Slot, _ targets: [Object]) {
    switch (slot, self) {
    case (.friend, let being as Being): being.friend = targets.first as? Being
    case (.heir, let being as Being): being.heir = targets.first as? Being
    case (.sponsor, let being as Being): being.sponsor = targets.first as? Being
    case (.list, let being as Being): being.list = List(targets.compactMap { $0 as? Being })
    case (.limb, let being as Being): being.limb = targets.first as? Limb
    case (.limbs, let being as Being): being.limbs = List(targets.compactMap { $0 as? Limb })
    case (.pet, let limb as Limb): limb.pet = targets.first as? Being
    case (.pin, let limb as Limb): limb.pin = targets.first as? Being
    case (.part, let limb as Limb): limb.part = targets.first as? Limb
    case (.parts, let limb as Limb): limb.parts = List(targets.compactMap { $0 as? Limb })
    default: break
    }
  }

  /// Edits the list of a slot in place, as a user does.
  func edit(_ slot: Slot, _ edit: ListEdit, _ object: (Int) -> Object?) {
    switch (slot, self) {
    case (.list, let being as Being): edit.make(in: &being.list) { object($0) as? Being }
    case (.limbs, let being as Being): edit.make(in: &being.limbs) { object($0) as? Limb }
    case (.parts, let limb as Limb): edit.make(in: &limb.parts) { object($0) as? Limb }
    default: break
    }
  }
}
