/// The changes that one replica made in one commit: the unit of merging, which is applied as a whole
/// or not at all.
///
/// The operations are in the order of the commit. Their values follow each other in ``bytes``
/// without gaps, and ``names`` has each name once, in the order of first use: two sets with the same
/// content are equal, and have the same coded form. A ``SharedChangeSetBuilder`` makes them.
package struct SharedChangeSet: Equatable, Sendable {
  /// The author.
  package let replica: ReplicaID
  /// The number of the set among its author's: 1, 2, and so on.
  package let sequence: UInt64
  /// When the commit was made; the time of all operations.
  package let time: HybridTime
  /// The newest times that the author had merged from other replicas, as far as they are newer than
  /// when it made its previous set; ordered by replica.
  ///
  /// The author hadn't seen another set exactly if that set's time is later than the latest noted
  /// for its replica, in this set or an earlier one of the author.
  package let seen: [Stamp]
  /// The names of the classes and properties.
  package let names: [String]
  /// The changes.
  package let operations: [Operation]
  /// The values, in the form of ``ValueCoding``.
  package let bytes: [UInt8]

  /// Creates a set from parts that hold what the type promises.
  init(
    replica: ReplicaID, sequence: UInt64, time: HybridTime, seen: [Stamp], names: [String],
    operations: [Operation], bytes: [UInt8]
  ) {
    self.replica = replica
    self.sequence = sequence
    self.time = time
    self.seen = seen
    self.names = names
    self.operations = operations
    self.bytes = bytes
  }

  /// The stamp of all operations.
  package var stamp: Stamp { Stamp(time: time, replica: replica) }

  /// The name of an operation's class or property.
  package func name(of operation: Operation) -> String { names[Int(operation.name)] }

  /// The bytes of an operation's value.
  package func valueBytes(of operation: Operation) -> ArraySlice<UInt8> { bytes[operation.value] }

  /// Decodes the value of an operation.
  ///
  /// To decode many, make one ``ByteReader`` of ``bytes``, move it to each ``Operation/value`` and
  /// use one ``ValueCoder`` a property.
  ///
  /// - Throws: ``ValueCodingError`` if the bytes aren't a value of the type.
  package func value<Value: Decodable>(
    of operation: Operation, as type: Value.Type = Value.self
  ) throws(ValueCodingError) -> Value {
    var reader = ByteReader(bytes, in: operation.value)
    return try ValueCoding.decode(type, from: &reader)
  }
}
