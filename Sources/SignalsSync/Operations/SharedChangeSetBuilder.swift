package import Signals

/// Makes a ``SharedChangeSet``: operations and the bytes of their values are appended to two arrays.
///
/// The state is the set's parts, how its names were used and how many bytes these have. Finishing a set leaves the builder empty,
/// for the next one.
package struct SharedChangeSetBuilder: Sendable {
  private var names = IndexTable<String>()
  /// The number of names up to the last that an operation uses.
  private var used: UInt32 = 0
  /// Whether all names were first used in their order; not if a value couldn't be encoded.
  private var isOrdered = true
  private var nameBytes = 0
  /// The number of operations that set a property to an object.
  private var links = 0
  private var operations: [Operation] = []
  private var writer = ByteWriter()

  /// Creates an empty builder.
  package init() {}

  /// Whether no operation has been appended.
  package var isEmpty: Bool { operations.isEmpty }

  /// The number of operations.
  package var count: Int { operations.count }

  /// The number of bytes of all values.
  package var byteCount: Int { writer.count }

  /// Returns the index of a name, which is appended if it is new.
  ///
  /// For many operations with one name, the index is found once; it holds until the set is finished.
  package mutating func index(of name: String) -> UInt32 {
    if let position = names.position(of: name) { return UInt32(position) }
    names.append(name)
    nameBytes += name.utf8.count
    return UInt32(names.count - 1)
  }

  /// Appends the creation of an object.
  package mutating func create(_ object: ObjectID, class name: String) {
    append(.create, object, name: index(of: name), from: writer.count)
  }

  /// Appends the deletion of an object.
  package mutating func delete(_ object: ObjectID, class name: String) {
    append(.delete, object, name: index(of: name), from: writer.count)
  }

  /// Appends a change of a property.
  ///
  /// - Parameters:
  ///   - kind: ``Operation/Kind/set``, ``Operation/Kind/add`` or ``Operation/Kind/maximum``.
  ///   - object: The object.
  ///   - property: The name of the property.
  ///   - value: The new value, the difference, or the least value.
  /// - Throws: ``ValueCodingError`` if the value can't be encoded; nothing is appended.
  package mutating func append<Value: Encodable>(
    _ kind: Operation.Kind, _ object: ObjectID, property: String, value: Value
  ) throws(ValueCodingError) {
    try append(kind, object, name: index(of: property)) { writer throws(ValueCodingError) in
      try ValueCoding.encode(value, to: &writer)
    }
  }

  /// Appends an edit of a list.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - property: The name of the list property.
  ///   - bytes: The edit, in a form that lists understand.
  package mutating func editList(_ object: ObjectID, property: String, bytes: [UInt8]) {
    let start = writer.count
    ValueCoding.encodeBytes(bytes, to: &writer)
    append(.list, object, name: index(of: property), from: start)
  }

  /// Appends an operation whose value a closure writes; this is the fastest form.
  ///
  /// - Parameters:
  ///   - kind: What the operation does; a kind with a value.
  ///   - object: The object.
  ///   - name: The index of the property's name, from ``index(of:)``.
  ///   - write: Writes exactly one value, with a ``ValueCoder``.
  /// - Throws: What the closure throws; nothing is appended then.
  /// - Precondition: The closure writes exactly one value.
  package mutating func append<Failure: Error>(
    _ kind: Operation.Kind, _ object: ObjectID, name: UInt32,
    write: (inout ByteWriter) throws(Failure) -> Void
  ) throws(Failure) {
    let start = writer.count
    do throws(Failure) {
      try write(&writer)
    } catch {
      writer.truncate(to: start)
      throw error
    }
    // With more or less than a value, the readers would take other bytes for the later values.
    if !isValue(from: start) { trap("what was written for an operation isn't exactly one value") }
    append(kind, object, name: name, from: start)
  }

  private mutating func append(
    _ kind: Operation.Kind, _ object: ObjectID, name: UInt32, from start: Int
  ) {
    if writer.count > UInt32.max { trap("a change set has at most 4 GiB of values") }
    if kind.hasValue == (writer.count == start) {
      trap("an operation has a value exactly if its kind has one, unlike \(kind)")
    }
    if kind == .set, writer.bytes[start] == ValueTag.object { links += 1 }
    if name >= used {
      isOrdered = isOrdered && name == used
      used = name + 1
    }
    let value = start..<writer.count
    operations.append(Operation(kind: kind, object: object, name: name, value: value))
  }

  private func isValue(from start: Int) -> Bool {
    var reader = ByteReader(writer.bytes, in: start..<writer.count)
    do throws(ValueCodingError) {
      try ValueCoding.skip(&reader)
      return reader.isAtEnd
    } catch {
      return false
    }
  }

  /// Leaves out names without operations, and puts the others in the order of first use.
  private mutating func orderNames() {
    let old = names.elements
    names.removeAll()
    nameBytes = 0
    for position in operations.indices {
      operations[position].name = index(of: old[Int(operations[position].name)])
    }
  }

  /// Makes the set of all that was appended, and empties the builder.
  ///
  /// The time is after zero, the sequence at least 1, and what was seen is in order.
  ///
  /// - Parameters:
  ///   - replica: The author.
  ///   - sequence: The number of the set among its author's.
  ///   - time: When the commit was made.
  ///   - seen: What the author has merged since its previous set, from
  ///     ``SeenTimes/takeDelta(excluding:)``.
  /// - Throws: ``ChangeSetSizeError`` if this is more than fits into a set; the builder is unchanged.
  package mutating func finish(
    replica: ReplicaID, sequence: UInt64, time: HybridTime, seen: [Stamp] = []
  ) throws(ChangeSetSizeError) -> SharedChangeSet {
    SharedChangeSet.check(replica: replica, sequence: sequence, time: time, seen: seen)
    if !isOrdered || Int(used) != names.count { orderNames() }
    try SharedChangeSet.checkSize(
      operations: count, links: links, names: (names.count, nameBytes), values: byteCount,
      seen: seen.count)
    defer { removeAll() }
    return SharedChangeSet(
      replica: replica, sequence: sequence, time: time, seen: seen,
      names: names.elements, operations: operations, bytes: writer.bytes)
  }

  /// Empties the builder.
  package mutating func removeAll() {
    names.removeAll()
    nameBytes = 0
    links = 0
    used = 0
    isOrdered = true
    operations = []
    writer = ByteWriter()
  }
}
