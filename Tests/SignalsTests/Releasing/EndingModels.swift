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
struct Pair: Codable, Equatable, Sendable {
  var one: Charge
  var other: Charge
}

/// Whose plain property ends with it.
class Knot: Object {
  @Field var charge = Charge(0)
  @Field var pair = Pair(one: Charge(0), other: Charge(0))
  @Field var text = ""
  @Indexed var tag = Charge(0)
  @Link var next: Knot?
  @Link(onDelete: .cascade) var ward: Knot?
  @Links var list: List<Knot>
  @Link var part: KnotPart?
  @Inverse(\Knot.list) var lists
  var ending: Ending?
}

/// One that is found by its key.
final class KeyedKnot: Knot {
  @PrimaryKey var key = Charge(0)
}

final class KnotPart: EmbeddedObject {
  @Field var charge = Charge(0)
  var ending: Ending?
}

/// What ends write to.
final class Ledger: Object {
  @Field var closed = 0
  @Field var tick = 0
}
