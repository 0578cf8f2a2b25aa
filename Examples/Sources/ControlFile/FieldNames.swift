/// The field names seen in a file, each with what it stands for and the stanza that used it last.
///
/// A file has millions of fields and a few dozen names. Remembering the names across stanzas makes
/// one look-up tell both which field it is and whether this stanza has had it, with nothing to
/// clear between stanzas and nothing to allocate after the first few.
struct FieldNames {
  private struct Entry {
    let hash: UInt
    let name: Range<Int>
    let field: Field
    var lastStanza: Int
  }

  private var entries: [Entry] = []

  /// The names in lower case, one after another.
  private var bytes: [UInt8] = []

  /// Places in `entries`, by hash with linear probing; -1 is free.
  ///
  /// At most half of it is in use.
  private var slots = [Int](repeating: -1, count: 128)

  /// Knows the kept fields from the start.
  init() {
    for field in Field.allCases where field != .other {
      let name = Array(field.name.utf8)
      insert(name.span, hash: Self.hash(name.span), field: field, stanza: 0)
    }
  }

  /// Notes that a stanza has a field of this name, and returns which field, nil where it repeats.
  ///
  /// Stanzas are numbered from 1, ascending.
  mutating func note(_ name: Span<UInt8>, stanza: Int) -> Field? {
    let hash = Self.hash(name)
    var slot = Int(bitPattern: hash) & (slots.count - 1)
    while slots[slot] >= 0 {
      let place = slots[slot]
      if entries[place].hash == hash, matches(entries[place].name, name) {
        guard entries[place].lastStanza != stanza else { return nil }
        entries[place].lastStanza = stanza
        return entries[place].field
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    insert(name, hash: hash, field: .other, stanza: stanza)
    return .other
  }

  private func matches(_ known: Range<Int>, _ name: Span<UInt8>) -> Bool {
    guard known.count == name.count else { return false }
    for index in name.indices where bytes[known.lowerBound + index] != ASCII.fold(name[index]) {
      return false
    }
    return true
  }

  private mutating func insert(_ name: Span<UInt8>, hash: UInt, field: Field, stanza: Int) {
    let start = bytes.count
    for index in name.indices { bytes.append(ASCII.fold(name[index])) }
    entries.append(
      Entry(hash: hash, name: start..<bytes.count, field: field, lastStanza: stanza))
    if entries.count * 2 > slots.count {
      slots = [Int](repeating: -1, count: slots.count * 2)
      for place in entries.indices { occupySlot(of: place) }
    } else {
      occupySlot(of: entries.count - 1)
    }
  }

  private mutating func occupySlot(of place: Int) {
    var slot = Int(bitPattern: entries[place].hash) & (slots.count - 1)
    while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = place
  }

  /// FNV-1a over the folded bytes.
  private static func hash(_ name: Span<UInt8>) -> UInt {
    var hash: UInt = 0xcbf2_9ce4_8422_2325
    for index in name.indices {
      hash = (hash ^ UInt(ASCII.fold(name[index]))) &* 0x0000_0100_0000_01b3
    }
    // The low bits choose the slot: let the high ones take part.
    return hash ^ (hash >> 32)
  }
}
