// The changes made here that nothing has taken.
//
// State: `sets`, the change sets of commits that changed more than one field; `writes`, those that
// changed one, with their values one after the other in `bytes`. They become change sets when they are
// taken, because making three arrays would cost more than the write. Each has its number among the
// author's sets.

internal import Signals

struct Outbox {
  /// A write that is a whole commit.
  private struct Write {
    var sequence: UInt64
    var time: HybridTime
    let object: ObjectID
    let field: Unretained<FieldState>
    /// Where the value ends in `bytes`.
    let end: Int
  }

  private var made: ContiguousArray<SharedChangeSet> = []
  private var writes: ContiguousArray<Write> = []
  private var bytes = ByteWriter()

  /// The number of change sets.
  var count: Int { made.count + writes.count }

  mutating func append(_ set: SharedChangeSet) { made.append(set) }

  /// Begins the change set of a write, with the field's present value.
  ///
  /// - Returns: Whether the value could be encoded; if not, there is no set.
  @inline(__always)
  mutating func write(_ object: Object, _ field: FieldState) -> Bool {
    guard let codec = field.codec else { return false }
    let start = bytes.count
    do throws(ValueCodingError) { try codec.encode(object, to: &bytes) } catch {
      bytes.truncate(to: start)
      return false
    }
    writes.append(
      Write(
        sequence: 0, time: .zero, object: object.objectID, field: Unretained(field),
        end: bytes.count))
    return true
  }

  /// Ends the change set that was begun last.
  @inline(__always)
  mutating func endWrite(sequence: UInt64, time: HybridTime) {
    writes[writes.count - 1].sequence = sequence
    writes[writes.count - 1].time = time
  }

  /// All change sets, in order.
  func sets(by replica: ReplicaID) -> [SharedChangeSet] {
    var sets: [SharedChangeSet] = []
    sets.reserveCapacity(made.count + writes.count)
    var next = made.startIndex
    var start = 0
    let bytes = bytes.bytes
    for write in writes {
      while next < made.endIndex, made[next].sequence < write.sequence {
        sets.append(made[next])
        next += 1
      }
      let operation = Operation(
        kind: .set, object: write.object, name: 0, value: 0..<write.end - start)
      sets.append(
        SharedChangeSet(
          replica: replica, sequence: write.sequence, time: write.time, seen: [],
          names: [write.field.instance.property.name], operations: [operation],
          bytes: Array(bytes[start..<write.end])))
      start = write.end
    }
    return sets + made[next...]
  }

  mutating func removeAll() { self = Outbox() }
}
