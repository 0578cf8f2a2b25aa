internal import Signals

/// A message of a connection between two replicas, or a replica and a log's server.
package enum WireMessage: Equatable, Sendable {
  /// The first message in each direction.
  case hello(WireHello)
  /// Change sets of a partition.
  case changeSets(WireChangeSets)
  /// All entries before a head of a partition's log have arrived, or are durable.
  case acknowledgment(WirePlace)
  /// A piece of a partition's snapshot.
  case snapshotPiece(WireSnapshotPiece)
  /// The ``StateHash`` of a partition at a head of its log.
  case stateHash(WirePlace, UInt64)
  /// Who is present; the bytes are of the room of presence.
  case presence([UInt8])

  /// The most operations of a message, where each change set counts as a few.
  ///
  /// An operation can have a single byte, and takes 32 in memory. With this limit, what is read from
  /// a message takes little more memory than the largest message.
  package static let operationLimit = 1 << 20
  /// What a change set takes in memory, in operations.
  package static let operationsOfSet = 8
}

/// The versions that one end of a connection knows, which replica it is, and which log it serves.
package struct WireHello: Equatable, Sendable {
  /// The versions of this library.
  package static let knownVersions: ClosedRange<UInt32> = 1...1

  /// The lowest and the highest version.
  package let versions: ClosedRange<UInt32>
  /// The replica at this end.
  package let replica: ReplicaID

  /// The log that this end serves; nil if it serves none.
  ///
  /// Another log than at the last connection may have other entries at the same positions.
  package let log: LogIdentity?

  /// Creates a hello.
  package init(
    replica: ReplicaID, log: LogIdentity? = nil, versions: ClosedRange<UInt32> = knownVersions
  ) {
    self.replica = replica
    self.log = log
    self.versions = versions
  }

  /// Returns the highest version that both ends know.
  ///
  /// - Throws: ``WireError/noCommonVersion(own:peer:)`` if they have none in common.
  package func version(with peer: WireHello) throws(WireError) -> UInt32 {
    guard versions.overlaps(peer.versions) else {
      throw .noCommonVersion(own: versions, peer: peer.versions)
    }
    return min(versions.upperBound, peer.versions.upperBound)
  }
}

/// A position in the log of a partition, with the hash of all entries before it.
///
/// The hash tells a receiver whether its log has the same entries: after a server was restored from a
/// backup, it has others.
package struct WirePlace: Equatable, Sendable {
  /// The partition.
  package let partition: Partition
  /// The position and the hash.
  package let head: LogHead

  /// Creates a place.
  package init(partition: Partition, head: LogHead) {
    self.partition = partition
    self.head = head
  }
}

/// Change sets of one partition.
///
/// Each is an entry of the log. ``ChangeSetEntryCoder`` gives the bytes of the entries, and so the
/// head after them.
package struct WireChangeSets: Equatable, Sendable {
  /// The partition.
  package let partition: Partition
  /// The position of the first set in the partition's log, from which the others follow; nil if the
  /// sets aren't in a log yet.
  package let position: LogPosition?
  /// The sets; at least one.
  package let sets: [SharedChangeSet]

  /// Creates a message's content.
  ///
  /// - Parameters:
  ///   - partition: The partition.
  ///   - position: The position of the first set in the partition's log, if they are in it.
  ///   - sets: The sets; at least one.
  package init(partition: Partition, position: LogPosition?, sets: [SharedChangeSet]) {
    if sets.isEmpty { trap("a message of change sets has at least one") }
    self.partition = partition
    self.position = position
    self.sets = sets
  }
}

/// A piece of the bytes of a snapshot, which can be larger than a message.
package struct WireSnapshotPiece: Equatable, Sendable {
  /// The partition, and the head of its log at the snapshot.
  package let place: WirePlace
  /// Where the piece begins in the snapshot.
  package let offset: UInt64
  /// The number of bytes of the whole snapshot.
  package let total: UInt64
  /// The piece.
  package let bytes: [UInt8]

  /// Creates a piece, which must lie within the snapshot.
  package init(place: WirePlace, offset: UInt64, total: UInt64, bytes: [UInt8]) {
    if offset > total || UInt64(bytes.count) > total - offset {
      trap("a piece of \(bytes.count) bytes at \(offset) is beyond its snapshot of \(total)")
    }
    self.place = place
    self.offset = offset
    self.total = total
    self.bytes = bytes
  }

  /// Whether the piece is the last.
  package var isLast: Bool { offset + UInt64(bytes.count) == total }
}

/// The first byte of each message that isn't change sets; those begin with their flags.
enum WireKind: UInt8 {
  case hello = 1
  case acknowledgment
  case snapshotPiece
  case stateHash
  case presence

  /// What follows the first byte of a hello, so that another protocol isn't taken for this one.
  static let signature: UInt32 = 0x5347_5953
}
