// Writing the merge state, which a snapshot of the store needs beside the objects.
//
// The parts follow each other in a fixed order: authors with their histories, stamps, entities,
// classes with their columns, then the state kept aside. Entities and stamps are written as numbers.

internal import Signals

/// Writes the state of a merging store.
struct StateWriter {
  static let version: UInt64 = 1
  var writer = ByteWriter()

  static func encode(_ merging: MergingStore) -> [UInt8] {
    var coding = StateWriter()
    coding.write(merging)
    return coding.writer.bytes
  }

  private mutating func write(_ merging: MergingStore) {
    let state = merging.state
    number(Self.version)
    writer.writeFixed(merging.replica.rawValue)
    writer.writeFixed(merging.clock.last.rawValue)
    number(merging.lastElement)
    write(authors: state.stamps, merging.sequences)
    all(merging.seen.stamps) { coding, stamp in
      coding.writer.writeFixed(stamp.replica.rawValue)
      coding.writer.writeFixed(stamp.time.rawValue)
    }
    write(entities: state)
    for shared in state.classes { write(shared, state) }
    write(aside: state)
    all(merging.groups.sorted { $0.key < $1.key }) { coding, group in
      coding.entity(group.key)
      coding.all(group.value.members) { $0.entity($1) }
    }
    all(merging.chosen.sorted { $0.key < $1.key }) { coding, chosen in
      coding.entity(chosen.key)
      coding.key(chosen.value)
    }
    all(state.former.owners.sorted { $0.key < $1.key }) { coding, former in
      coding.entity(former.key)
      coding.all(former.value.sorted { $0.key < $1.key }) { coding, owner in
        coding.key(owner.key)
        coding.write(owner.value)
      }
    }
    all(Array(merging.lowered)) { $0.key($1) }
    all(Array(merging.woken)) { $0.key($1) }
    all(Array(merging.unsettled)) { $0.entity($1) }
    var seen = merging.seen
    var unsent = SeenTimes(merging.unsentSeen)
    unsent.formUnion(SeenTimes(seen.takeDelta(excluding: merging.replica)))
    all(unsent.stamps) { $0.write($1) }
    all(merging.early.values.flatMap(\.values).sorted { $0.stamp < $1.stamp }) { $0.write($1) }
    all(merging.outbox.sets(by: merging.replica)) { $0.write($1) }
  }

  private mutating func write(authors stamps: StampTable, _ sequences: ContiguousArray<UInt64>) {
    all(Array(stamps.replicas.indices.dropFirst())) { coding, author in
      coding.writer.writeFixed(stamps.replicas[author].rawValue)
      coding.number(author < sequences.count ? sequences[author] : 1)
    }
    all(Array(stamps.histories.indices.dropFirst())) { coding, author in
      coding.writer.writeFixed(stamps.histories[author].horizon.rawValue)
      coding.all(Array(stamps.histories[author].entries)) { coding, entry in
        coding.number(UInt64(entry.other))
        coding.writer.writeFixed(entry.at.rawValue)
        coding.writer.writeFixed(entry.seen.rawValue)
      }
    }
    all(Array(stamps.times.indices.dropFirst())) { coding, index in
      coding.writer.writeFixed(stamps.times[index].rawValue)
      coding.number(UInt64(stamps.authors[index]))
    }
  }

  private mutating func write(entities state: SharedState) {
    all(state.classes.map(\.name)) { $0.writer.writeText($1) }
    all(Array(state.entities.ids.indices)) { coding, index in
      coding.writer.writeFixed(state.entities.ids[index].replica)
      coding.number(state.entities.ids[index].counter)
      coding.number(UInt64(state.classOf[index] + 1))
      coding.stamp(state.created[index])
      coding.writer.write(state.flags[index].rawValue)
    }
  }

  private mutating func write(_ shared: ClassState, _ state: SharedState) {
    all(Array(shared.fields)) { coding, field in
      coding.writer.writeText(field.property.name)
      coding.all(Array(field.stamps)) { $0.stamp($1) }
      coding.all(Array(field.targets)) { $0.number(UInt64($1 + 1)) }
      coding.all(field.lists.sorted { $0.key < $1.key }) { coding, list in
        coding.number(UInt64(list.key))
        coding.write(list.value)
      }
    }
    all(Array(shared.entities)) { $0.entity($1) }
  }

  private mutating func write(_ list: ListRegister) {
    let positions = list.positions.state
    all(positions.bunches) { coding, bunch in
      coding.range(bunch.ids)
      coding.writer.write(bunch.kind.rawValue)
      switch bunch.place {
      case .start: coding.writer.write(0)
      case .after(let id):
        coding.writer.write(1)
        coding.element(id)
      case .before(let id):
        coding.writer.write(2)
        coding.element(id)
      }
    }
    all(positions.moves) { coding, move in
      coding.element(move.element)
      coding.element(move.position)
      coding.write(move.stamp)
    }
    all(positions.deleted) { $0.range($1) }
    all(Array(list.targets)) { $0.entity($1) }
    all(list.early) { coding, edit in
      coding.stamp(edit.stamp)
      coding.bytes(edit.bytes)
    }
  }

  private mutating func write(aside state: SharedState) {
    all(state.tombstones.sorted { $0.key < $1.key }) { coding, tombstone in
      coding.entity(tombstone.key)
      coding.stamp(tombstone.value)
    }
    let revivals = state.revivals
    all(Set(revivals.edits.keys).union(revivals.deletions.keys).sorted()) { coding, entity in
      coding.entity(entity)
      coding.all(revivals.edits[entity] ?? []) { $0.stamp($1) }
      coding.all(revivals.deletions[entity] ?? []) { $0.stamp($1) }
    }
    all(state.shelf.sorted { $0.key < $1.key }) { coding, shelf in
      coding.entity(shelf.key)
      coding.all(shelf.value) { coding, value in
        coding.writer.write(value == nil ? 0 : 1)
        if let value { coding.bytes(value) }
      }
    }
    all(state.carried.sorted { $0.key < $1.key }) { coding, carried in
      coding.entity(carried.key)
      coding.all(carried.value) { coding, operation in
        coding.writer.write(operation.kind.rawValue)
        coding.writer.writeText(operation.name)
        coding.stamp(operation.stamp)
        coding.bytes(operation.bytes)
      }
    }
    all(state.waiting.sorted { $0.key < $1.key }) { coding, waiting in
      coding.entity(waiting.key)
      coding.all(Array(waiting.value)) { $0.key($1) }
    }
    all(Array(state.counters)) { coding, counter in
      coding.key(counter.key)
      coding.write(counter.value)
    }
  }

  private mutating func write(_ counter: CounterState) {
    switch counter.base {
    case .integer(let base):
      writer.write(0)
      wide(base)
    case .floating(let base):
      writer.write(1)
      writer.writeFixed(base.bitPattern)
    }
    wide(counter.sum)
    all(counter.sums.sorted { $0.key < $1.key }) { coding, sum in
      coding.writer.writeFixed(sum.key.rawValue)
      coding.writer.writeFixed(sum.value.bitPattern)
    }
  }

  // MARK: - Parts

  mutating func number(_ value: UInt64) { writer.writeVarint(value) }
  private mutating func stamp(_ stamp: StampIndex) { number(UInt64(stamp)) }
  private mutating func entity(_ entity: Entity) { number(UInt64(entity)) }

  private mutating func key(_ key: FieldKey) {
    entity(key.entity)
    number(UInt64(key.field))
  }

  mutating func write(_ stamp: Stamp) {
    writer.writeFixed(stamp.time.rawValue)
    writer.writeFixed(stamp.replica.rawValue)
  }

  private mutating func element(_ id: ElementID) {
    writer.writeFixed(id.replica)
    number(id.counter)
  }

  private mutating func range(_ range: ElementRange) {
    element(range.first)
    number(UInt64(range.count))
  }

  mutating func bytes(_ bytes: [UInt8]) {
    number(UInt64(bytes.count))
    writer.write(contentsOf: bytes)
  }

  private mutating func wide(_ value: Int128) {
    writer.writeFixed(UInt64(truncatingIfNeeded: value))
    writer.writeFixed(UInt64(truncatingIfNeeded: value >> 64))
  }

  mutating func all<Element>(
    _ elements: [Element], _ write: (inout StateWriter, Element) -> Void
  ) {
    number(UInt64(elements.count))
    for element in elements { write(&self, element) }
  }
}
