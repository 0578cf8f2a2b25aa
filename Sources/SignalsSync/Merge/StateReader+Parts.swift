// The parts of a merge state: numbers, stamps, and references to parts that were read before.

internal import Signals

extension StateReader {
  mutating func number() throws(MergeStateError) -> UInt64 {
    do { return try reader.readVarint() } catch { throw .damaged(error) }
  }

  mutating func fixed() throws(MergeStateError) -> UInt64 {
    do { return try reader.readFixed64() } catch { throw .damaged(error) }
  }

  mutating func byte() throws(MergeStateError) -> UInt8 {
    do { return try reader.read() } catch { throw .damaged(error) }
  }

  mutating func count(_ size: Int = 1) throws(MergeStateError) -> Int {
    do { return try reader.readCount(ofSize: size) } catch { throw .damaged(error) }
  }

  mutating func text() throws(MergeStateError) -> String {
    do { return try reader.readText() } catch { throw .damaged(error) }
  }

  mutating func bytes() throws(MergeStateError) -> [UInt8] {
    do { return try reader.readBytes(count: reader.readCount()) } catch { throw .damaged(error) }
  }

  mutating func reference(_ bound: Int) throws(MergeStateError) -> Int {
    let value = try number()
    guard value < UInt64(bound) else { throw .invalidReference(offset: reader.offset) }
    return Int(value)
  }

  mutating func stamp(_ merging: MergingStore) throws(MergeStateError) -> StampIndex {
    StampIndex(try reference(merging.state.stamps.count))
  }

  mutating func stamps(_ merging: MergingStore) throws(MergeStateError) -> [StampIndex] {
    var stamps: [StampIndex] = []
    for _ in 0..<(try count()) { stamps.append(try stamp(merging)) }
    return stamps
  }

  mutating func stamp() throws(MergeStateError) -> Stamp {
    let time = HybridTime(rawValue: try fixed())
    return Stamp(time: time, replica: ReplicaID(rawValue: try fixed()))
  }

  mutating func entity(_ merging: MergingStore) throws(MergeStateError) -> Entity {
    Entity(try reference(merging.state.entities.count))
  }

  mutating func key(_ merging: MergingStore) throws(MergeStateError) -> FieldKey {
    let entity = try entity(merging)
    let fields = merging.state.classState(entity)?.fields.count ?? 0
    return FieldKey(entity, try reference(fields))
  }

  mutating func element() throws(MergeStateError) -> ElementID {
    ElementID(replica: try fixed(), counter: try number())
  }

  mutating func range() throws(MergeStateError) -> ElementRange {
    let first = try element()
    return ElementRange(first: first, count: try reference(Int(Int32.max)))
  }

  mutating func wide() throws(MergeStateError) -> Int128 {
    let low = try fixed()
    return Int128(truncatingIfNeeded: Int64(bitPattern: try fixed())) << 64 | Int128(low)
  }
}
