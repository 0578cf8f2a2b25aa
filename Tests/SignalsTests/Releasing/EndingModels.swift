import Signals

/// Something that is told when it ends: a plain token, which an object, a closure or a value holds.
///
/// Sendable only because field values must be: it stays on the thread of its history, which made it.
final class Ending: @unchecked Sendable {
  private let end: () -> Void

  init(_ end: @escaping () -> Void) { self.end = end }

  deinit { end() }
}

/// A value of a field with a class in it; it is equal to what has the same number.
struct Charge: Codable, Hashable, Sendable {
  let number: Int
  private var ending: Ending?

  init(_ number: Int, _ ending: Ending? = nil) {
    self.number = number
    self.ending = ending
  }

  init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(Int.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }

  static func == (one: Charge, other: Charge) -> Bool { one.number == other.number }

  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// Two charges: a value of several references.
struct ChargePair: Codable, Equatable, Sendable {
  var one: Charge
  var other: Charge
}

/// Whose plain property ends with it.
class Bead: Object {
  @Field var charge = Charge(0)
  @Field var pair = ChargePair(one: Charge(0), other: Charge(0))
  @Field var text = ""
  @Indexed var tag = Charge(0)
  @Link var next: Bead?
  @Link(onDelete: .cascade) var ward: Bead?
  @Links var list: List<Bead>
  @Link var part: BeadPart?
  @Inverse(\Bead.list) var lists
  var ending: Ending?
}

/// One that is found by its key.
final class KeyedBead: Bead {
  @PrimaryKey var key = Charge(0)
}

final class BeadPart: EmbeddedObject {
  @Field var charge = Charge(0)
  var ending: Ending?
}

/// What ends write to.
final class Ledger: Object {
  @Field var closed = 0
  @Field var tick = 0
}
