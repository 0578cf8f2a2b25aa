internal import Signals

/// The changes that one replica made in one commit: the unit of merging, which is applied as a whole
/// or not at all.
///
/// The operations are in the order of the commit. Their values follow each other in ``bytes``
/// without gaps, and ``names`` has each name once, in the order of first use. So sets whose parts are
/// equal by their bytes are equal, and each has one coded form. A ``SharedChangeSetBuilder`` makes
/// them.
package struct SharedChangeSet: Sendable {
  /// The most that the ``size(operations:links:names:values:seen:)`` of a set can be: 16 MiB.
  ///
  /// The coded form of a set is never larger. So it fits into an entry of a log and into a message.
  package static let sizeLimit = 1 << 24
  /// The most names of a set.
  ///
  /// With this and the limit of their bytes, an entry of a log has each name once.
  package static let nameLimit = 1 << 16
  /// The most bytes of a set's names.
  package static let nameByteLimit = 1 << 20

  /// The author.
  package let replica: ReplicaID
  /// The number of the set among its author's: 1, 2, and so on.
  package let sequence: UInt64
  /// When the commit was made; the time of all operations.
  package let time: HybridTime
  /// The newest times that the author had merged from other replicas, as far as they are newer than
  /// when it made its previous set; ordered by replica, without the author's own, and all earlier than
  /// the set.
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

  /// Returns an upper bound of the bytes of a coded set.
  ///
  /// - Parameters:
  ///   - operations: The number of operations.
  ///   - links: The number of those that set a property to an object.
  ///   - names: The number of bytes of all names.
  ///   - values: The number of bytes of all values.
  ///   - seen: The number of stamps in ``seen``.
  package static func size(
    operations: Int, links: Int, names: Int, values: Int, seen: Int
  ) -> Int {
    // An operation has a byte, a creator of 9 bytes, the difference of counters in 10 and a name's
    // position in 3, or its length in 4. A link has a creator and a difference in place of its value.
    // A stamp has a replica of 9 bytes, the difference of milliseconds in 8 and a counter in 3.
    24 * operations + 9 * links + names + values + 20 * seen + 64
  }

  /// Checks the size of a set.
  ///
  /// - Throws: ``ChangeSetSizeError`` if one of the limits is exceeded.
  static func checkSize(
    operations: Int, links: Int, names: (count: Int, bytes: Int), values: Int, seen: Int
  ) throws(ChangeSetSizeError) {
    guard names.count <= nameLimit, names.bytes <= nameByteLimit else {
      throw .tooManyNames(count: names.count, bytes: names.bytes)
    }
    let size = size(
      operations: operations, links: links, names: names.bytes, values: values, seen: seen)
    guard size <= sizeLimit else { throw .tooLarge(size: size, limit: sizeLimit) }
  }

  /// Returns the same changes with another time of their author.
  ///
  /// See ``HybridClock`` for when changes are made again.
  ///
  /// - Parameter time: The time, which must be later than all of ``seen``.
  package func moved(to time: HybridTime) -> SharedChangeSet {
    Self.check(replica: replica, sequence: sequence, time: time, seen: seen)
    return SharedChangeSet(
      replica: replica, sequence: sequence, time: time, seen: seen, names: names,
      operations: operations, bytes: bytes)
  }

  /// Stops the program if the parts can't be those of a change set.
  static func check(replica: ReplicaID, sequence: UInt64, time: HybridTime, seen: [Stamp]) {
    if sequence == 0 { trap("the sequences of change sets begin with 1") }
    if !isValid(time) { trap("\(time): a change set's time is after zero, and not after 6429") }
    var last: ReplicaID?
    for stamp in seen {
      if !isValid(stamp, seenBy: replica, at: time, after: last) {
        trap("\(stamp): a seen time is of another replica, earlier than the set, and in order")
      }
      last = stamp.replica
    }
  }

  /// Returns whether a set can have a time.
  static func isValid(_ time: HybridTime) -> Bool { .zero < time && time <= .latest }

  /// Returns whether a stamp can be among those seen by an author, after that of another replica.
  static func isValid(
    _ stamp: Stamp, seenBy author: ReplicaID, at time: HybridTime, after last: ReplicaID?
  ) -> Bool {
    .zero < stamp.time && stamp.time < time && stamp.replica != author
      && last.map { $0 < stamp.replica } ?? true
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

extension SharedChangeSet: Equatable {
  /// Returns whether the parts of two sets are equal; names by their UTF-8.
  package static func == (lhs: SharedChangeSet, rhs: SharedChangeSet) -> Bool {
    lhs.replica == rhs.replica && lhs.sequence == rhs.sequence && lhs.time == rhs.time
      && lhs.seen == rhs.seen && lhs.names.elementsEqual(rhs.names, by: ExactText.isEqual)
      && lhs.operations == rhs.operations && lhs.bytes == rhs.bytes
  }
}

/// The changes of a commit don't fit into one change set.
package enum ChangeSetSizeError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The operations and values are too large.
  case tooLarge(size: Int, limit: Int)
  /// There are too many names of classes and properties, or these have too many bytes.
  case tooManyNames(count: Int, bytes: Int)

  /// The size and the limit.
  package var description: String {
    switch self {
    case .tooLarge(let size, let limit): "a change set of \(size) bytes; the limit is \(limit)"
    case .tooManyNames(let count, let bytes):
      "a change set with \(count) names of \(bytes) bytes; at most \(SharedChangeSet.nameLimit) "
        + "names of \(SharedChangeSet.nameByteLimit) bytes fit"
    }
  }
}
