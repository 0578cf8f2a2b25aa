/// The pieces of a list by the identities of their first positions.
///
/// Sorted, in chunks, so that inserting moves few bytes. Most pieces come at the end of a
/// replica's: its counters ascend.
///
/// The state is `chunks`, none of which is empty, and `starts`, the first identity of each.
struct PieceIndex: Sendable {
  private struct Entry: Sendable {
    var id: ElementID
    var piece: UInt32
  }

  private static let mostInChunk = 128

  private var chunks: [[Entry]] = []
  private var starts: [ElementID] = []

  /// Returns the piece with the greatest identity that is not greater than the one given.
  ///
  /// - Complexity: O(log *n*).
  func piece(atOrBefore id: ElementID) -> UInt32? {
    guard let chunk = chunk(for: id) else { return nil }
    let number = chunks[chunk].partitionPoint { $0.id <= id } - 1
    return chunks[chunk][number].piece
  }

  /// Inserts a piece whose identity is not there.
  mutating func insert(_ piece: UInt32, for id: ElementID) {
    guard var number = chunk(for: id) ?? (chunks.isEmpty ? nil : 0) else {
      chunks = [[Entry(id: id, piece: piece)]]
      starts = [id]
      return
    }
    if chunks[number].count == Self.mostInChunk {
      divide(number)
      if starts[number + 1] <= id { number += 1 }
    }
    let place = chunks[number].partitionPoint { $0.id <= id }
    chunks[number].insert(Entry(id: id, piece: piece), at: place)
    if place == 0 { starts[number] = id }
  }

  /// Removes the piece of an identity that is there.
  mutating func remove(_ id: ElementID) {
    guard let number = chunk(for: id) else { return }
    let place = chunks[number].partitionPoint { $0.id <= id } - 1
    chunks[number].remove(at: place)
    if let start = chunks[number].first {
      starts[number] = start.id
    } else {
      chunks.remove(at: number)
      starts.remove(at: number)
    }
  }

  /// Calls the closure with all pieces, in the order of their identities.
  func forEach(_ body: (UInt32) -> Void) {
    for chunk in chunks { for entry in chunk { body(entry.piece) } }
  }

  private func chunk(for id: ElementID) -> Int? {
    let after = starts.partitionPoint { $0 <= id }
    return after == 0 ? nil : after - 1
  }

  /// Moves the end of a full chunk to a new one: half of it, or nothing but the last piece where
  /// pieces are likely to come in order.
  private mutating func divide(_ number: Int) {
    let isLast = number == chunks.count - 1
    let middle = isLast ? Self.mostInChunk - 1 : Self.mostInChunk / 2
    let tail = Array(chunks[number][middle...])
    chunks[number].removeSubrange(middle...)
    starts.insert(tail[0].id, at: number + 1)
    chunks.insert(tail, at: number + 1)
  }
}
