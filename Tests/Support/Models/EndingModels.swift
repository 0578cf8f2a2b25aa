package import Signals

/// Something that is told when it ends: a plain token, which an object, a closure or a value holds.
///
/// Sendable only because field values must be: it stays on the thread of its history, which made it.
package final class Ending: @unchecked Sendable {
  private let end: () -> Void

  package init(_ end: @escaping () -> Void) { self.end = end }

  deinit { end() }
}

/// A value of a field with a class in it; it is equal to what has the same number.
package struct Charge: Codable, Hashable, Sendable {
  package let number: Int
  private var ending: Ending?

  package init(_ number: Int, _ ending: Ending? = nil) {
    self.number = number
    self.ending = ending
  }

  package init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(Int.self)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }

  package static func == (one: Charge, other: Charge) -> Bool { one.number == other.number }

  package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// Two charges: a value of several references.
package struct ChargePair: Codable, Equatable, Sendable {
  package var one: Charge
  package var other: Charge

  package init(one: Charge, other: Charge) { (self.one, self.other) = (one, other) }
}

/// Whose plain property ends with it.
package class Bead: Object {
  @Field package var charge = Charge(0)
  @Field package var pair = ChargePair(one: Charge(0), other: Charge(0))
  @Field package var text = ""
  @Indexed package var tag = Charge(0)
  @Link package var next: Bead?
  @Link(onDelete: .cascade) package var ward: Bead?
  @Links package var list: List<Bead>
  @Link package var part: BeadPart?
  @Inverse(\Bead.list) package var lists
  package var ending: Ending?
}

/// One that is found by its key.
package final class KeyedBead: Bead {
  @PrimaryKey package var key = Charge(0)
}

package final class BeadPart: EmbeddedObject {
  @Field package var charge = Charge(0)
  package var ending: Ending?
}

/// What ends write to.
package final class Ledger: Object {
  @Field package var closed = 0
  @Field package var tick = 0
}
