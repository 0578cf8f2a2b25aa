internal import Signals

/// A message of a connection between two replicas, or a replica and a log's server.
package enum WireMessage: Equatable, Sendable {
  /// The first message in each direction.
  case hello(WireHello)
  /// Change sets of a partition.
  case changeSets(WireChangeSets)
  /// All before a position of a partition's log has arrived, or is durable.
  case acknowledgment(WirePlace)
  /// A piece of a partition's snapshot.
  case snapshotPiece(WireSnapshotPiece)
  /// The ``StateHash`` of a partition at a position of its log.
  case stateHash(WirePlace, UInt64)
  /// Who is present; the bytes are of the room of presence.
  case presence([UInt8])
}

/// The versions that one end of a connection knows, and which replica it is.
package struct WireHello: Equatable, Sendable {
  /// The versions of this library.
  package static let knownVersions: ClosedRange<UInt32> = 1...1

  /// The lowest and the highest version.
  package let versions: ClosedRange<UInt32>
  /// The replica at this end.
  package let replica: ReplicaID

  /// Creates a hello.
  package init(replica: ReplicaID, versions: ClosedRange<UInt32> = knownVersions) {
    self.replica = replica
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

/// A position in the log of a partition.
package struct WirePlace: Equatable, Sendable {
  /// The name of the partition.
  package let partition: String
  /// The number of entries before.
  package let position: UInt64

  /// Creates a place.
  package init(partition: String, position: UInt64) {
    self.partition = partition
    self.position = position
  }
}

/// Change sets of one partition.
package struct WireChangeSets: Equatable, Sendable {
  /// The name of the partition.
  package let partition: String
  /// The position of the first set in the partition's log, from which the others follow; nil if the
  /// sets aren't in a log yet.
  package let position: UInt64?
  /// The sets; at least one.
  package let sets: [SharedChangeSet]

  /// Creates a message's content.
  ///
  /// - Parameters:
  ///   - partition: The name of the partition.
  ///   - position: The position of the first set in the partition's log, if they are in it.
  ///   - sets: The sets; at least one.
  package init(partition: String, position: UInt64?, sets: [SharedChangeSet]) {
    if sets.isEmpty { trap("a message of change sets has at least one") }
    self.partition = partition
    self.position = position
    self.sets = sets
  }
}

/// A piece of the bytes of a snapshot, which can be larger than a message.
package struct WireSnapshotPiece: Equatable, Sendable {
  /// The partition, and the position of its log at the snapshot.
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
