// Small numbers for the ids of the objects in a store file: an array from numbers to ids, and a
// hash table with open addressing from ids to numbers. Ids are never removed. The last found id is
// cached, because the operations of one object follow each other.

internal import Signals

/// The number of an object id.
package typealias Entity = Int32

/// The numbers of object ids.
struct EntityTable {
  private(set) var ids: ContiguousArray<ObjectID> = []
  /// The number at each position of the hash table, or -1.
  private var places: ContiguousArray<Entity> = ContiguousArray(repeating: -1, count: 16)
  private var last: Entity = -1

  var count: Int { ids.count }

  /// Returns the number of an id, or `nil` if it has none.
  func find(_ id: ObjectID) -> Entity? {
    let entity = places[place(of: id)]
    return entity < 0 ? nil : entity
  }

  /// Returns the number of an id, and assigns one if it has none.
  mutating func number(_ id: ObjectID) -> (entity: Entity, isNew: Bool) {
    if last >= 0, ids[Int(last)] == id { return (last, false) }
    let place = place(of: id)
    if places[place] >= 0 {
      last = places[place]
      return (last, false)
    }
    last = Entity(ids.count)
    ids.append(id)
    places[place] = last
    if ids.count * 4 > places.count * 3 { grow() }
    return (last, true)
  }

  /// Returns the position of an id, or the free position for it.
  ///
  /// Consecutive ids are neighbors, in groups of 8, because they are usually requested in order.
  @inline(__always)
  private func place(of id: ObjectID) -> Int {
    let mask = places.count - 1
    let group = (id.counter >> 3) ^ (id.replica &* 0x9E37_79B9_7F4A_7C15)
    var hash = group &* 0xD6E8_FEB8_6659_FD93
    hash ^= hash >> 32
    var place = Int(truncatingIfNeeded: hash << 3 | id.counter & 7) & mask
    while places[place] >= 0, ids[Int(places[place])] != id { place = (place + 1) & mask }
    return place
  }

  private mutating func grow() {
    places = ContiguousArray(repeating: -1, count: places.count * 2)
    for (number, id) in ids.enumerated() { places[place(of: id)] = Entity(number) }
  }
}
