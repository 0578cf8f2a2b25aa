// The bytes of list operations: the value of an `Operation.Kind.list`.
//
// A table of the replicas in the ids, then the edits. An edit is a byte with its kind and, for
// those that place something, the side; then ids, each as a number in the table and a counter.

package import Signals

/// One edit of a list, with the targets of inserted elements.
package struct ListEdit: Equatable {
  package let operation: ListOperation<Stamp>
  package var targets: [ObjectID] = []
}

package enum ListEditCoding {
  package static func encode(_ edits: [ListEdit]) -> [UInt8] {
    var replicas: [UInt64] = []
    var writer = ByteWriter()
    func number(_ replica: UInt64) -> UInt64 {
      if let known = replicas.lastIndex(of: replica) { return UInt64(known) }
      replicas.append(replica)
      return UInt64(replicas.count - 1)
    }
    func write(_ id: ElementID) {
      writer.writeVarint(number(id.replica))
      writer.writeVarint(id.counter)
    }
    func write(_ kind: UInt8, _ place: ListPlace) {
      switch place {
      case .start: writer.write(kind)
      case .after(let id):
        writer.write(kind + 1)
        write(id)
      case .before(let id):
        writer.write(kind + 2)
        write(id)
      }
    }
    for edit in edits {
      switch edit.operation {
      case .insert(let range, at: let place):
        write(0, place)
        write(range.first)
        writer.writeVarint(UInt64(range.count))
        for target in edit.targets {
          writer.writeVarint(number(target.replica))
          writer.writeVarint(target.counter)
        }
      case .delete(let range):
        writer.write(3)
        write(range.first)
        writer.writeVarint(UInt64(range.count))
      case .move(let element, to: let position, at: let place, stamp: _):
        write(4, place)
        write(element)
        write(position)
      }
    }
    var head = ByteWriter()
    head.writeVarint(UInt64(replicas.count))
    for replica in replicas { head.writeFixed(replica) }
    head.write(contentsOf: writer.bytes)
    return head.bytes
  }

  /// - Parameters:
  ///   - bytes: The encoded edits.
  ///   - stamp: The stamp of moves.
  package static func decode(_ bytes: [UInt8], stamp: Stamp) throws(ByteError) -> [ListEdit] {
    var reader = ByteReader(bytes)
    var replicas: [UInt64] = []
    for _ in 0..<(try reader.readCount(ofSize: 8)) { replicas.append(try reader.readFixed64()) }
    func replica() throws(ByteError) -> UInt64 {
      let offset = reader.offset
      let number = try reader.readVarint()
      guard number < UInt64(replicas.count) else { throw .invalidCount(number, offset: offset) }
      return replicas[Int(number)]
    }
    func id() throws(ByteError) -> ElementID {
      ElementID(replica: try replica(), counter: try reader.readVarint())
    }
    func place(_ side: UInt8) throws(ByteError) -> ListPlace {
      switch side {
      case 0: .start
      case 1: .after(try id())
      default: .before(try id())
      }
    }
    var edits: [ListEdit] = []
    while !reader.isAtEnd {
      let kind = try reader.read()
      switch kind {
      case 0...2:
        let place = try place(kind)
        let first = try id()
        let count = try reader.readCount(ofSize: 2)
        var targets: [ObjectID] = []
        for _ in 0..<count {
          targets.append(ObjectID(replica: try replica(), counter: try reader.readVarint()))
        }
        edits.append(
          ListEdit(
            operation: .insert(ElementRange(first: first, count: count), at: place),
            targets: targets))
      case 3:
        let first = try id()
        let count = try reader.readVarint()
        guard count <= UInt64(Int32.max) else { throw .invalidNumber(offset: reader.offset) }
        edits.append(
          ListEdit(operation: .delete(ElementRange(first: first, count: Int(count)))))
      case 4...6:
        let place = try place(kind - 4)
        let element = try id()
        edits.append(
          ListEdit(operation: .move(element, to: try id(), at: place, stamp: stamp)))
      default: throw .invalidNumber(offset: reader.offset - 1)
      }
    }
    return edits
  }
}
