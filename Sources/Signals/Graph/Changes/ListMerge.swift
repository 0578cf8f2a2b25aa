// Merging two versions of a list. Change sets, drafts and undo use it.
//
// Order of events: both versions are compared with the old one. Then each edit of the new version is
// made in the present one, at a place that is named by neighbors, because positions differ there.

/// The result of making the edits of one version of a list in another version.
///
/// - An inserted member follows the member that it follows in the new version, and what the present
///   version has inserted there. At the end of the new version it is appended, at the beginning it
///   comes first. The nearest neighbor counts that the present version has.
/// - A member that both versions have moved goes where the new version has it. A member that one of
///   them has removed stays removed.
/// - A member that the old version lacks, and that both have inserted, is inserted once.
package struct ListMerge<Member: Hashable> {
  /// The present version with the edits.
  package private(set) var members: [Member] = []
  /// The members that the new version has moved and the present version has removed.
  package private(set) var lost: [Member] = []

  /// Makes the edits that lead from `old` to `new` in `present`.
  ///
  /// If the present version is the old one, the result is the new one.
  ///
  /// - Complexity: O(*n* + *t* log *t*) for *n* members and *t* edits of both versions.
  package init(from old: [Member], to new: [Member], in present: [Member]) {
    if present == old || present == new {
      members = new
      return
    }
    let edits = CollectionChange(from: old, to: new)
    let others = CollectionChange(from: old, to: present)
    let places = others.newPositions(of: old.count)
    var isLeaving = [Bool](repeating: false, count: present.count)
    var isArriving = [Bool](repeating: false, count: new.count)
    // The places in the present version of the members that stay where they are.
    var anchors = [Int?](repeating: nil, count: new.count)
    for (position, place) in zip(edits.newPositions(of: old.count), places) {
      if let position { anchors[position] = place } else if let place { isLeaving[place] = true }
    }
    for move in edits.moves {
      anchors[move.new] = nil
      if let place = places[move.old] {
        isLeaving[place] = true
        isArriving[move.new] = true
      } else {
        lost.append(old[move.old])
      }
    }
    for position in edits.insertions { isArriving[position] = true }
    for pair in Self.insertedTwice(edits, others, old) {
      isArriving[pair.new] = false
      anchors[pair.new] = pair.old
    }
    let gaps = Self.gaps(of: isArriving, anchors, in: present.count, Set(others.insertions))
    members.reserveCapacity(present.count + gaps.count)
    var next = gaps.startIndex
    for place in 0...present.count {
      while next < gaps.endIndex, gaps[next].place == place {
        members.append(new[gaps[next].position])
        next += 1
      }
      if place < present.count, !isLeaving[place] { members.append(present[place]) }
    }
  }

  /// Returns the members that both versions have inserted and the old one lacks.
  ///
  /// - Returns: The positions in the present version (`old`) and in the new one.
  private static func insertedTwice(
    _ edits: CollectionChange<Member>, _ others: CollectionChange<Member>, _ old: [Member]
  ) -> [PositionPair<Int>] {
    if edits.insertions.isEmpty || others.insertions.isEmpty { return [] }
    var unmatched: [Member: [Int]] = [:]
    for (place, member) in zip(others.insertions, others.inserted).reversed() {
      unmatched[member, default: []].append(place)
    }
    let common = zip(edits.insertions, edits.inserted).compactMap { position, member in
      unmatched[member]?.popLast().map { (member, pair: PositionPair(old: $0, new: position)) }
    }
    if common.isEmpty { return [] }
    let known = Set(old)
    return common.compactMap { member, pair in known.contains(member) ? nil : pair }
  }

  /// Returns the place in the present version before which each arriving member belongs, ordered by
  /// place.
  private static func gaps(
    of isArriving: [Bool], _ anchors: [Int?], in count: Int, _ inserted: Set<Int>
  ) -> [(place: Int, position: Int)] {
    var gaps: [(place: Int, position: Int)] = []
    // The place after the last member that stays, and after the insertions there once a member
    // arrives; `nil` before the first.
    var place: Int?
    // The first member that the present version lacks, if it comes before all that stay.
    var firstGone = isArriving.endIndex
    var end = isArriving.endIndex
    while end > 0, isArriving[end - 1] { end -= 1 }
    for position in isArriving.indices {
      if isArriving[position] {
        while let next = place, inserted.contains(next) { place = next + 1 }
        gaps.append((position < end ? place ?? 0 : count, position))
      } else if let anchor = anchors[position] {
        if place == nil {
          for index in gaps.indices where gaps[index].position > firstGone {
            gaps[index].place = anchor
          }
        }
        place = anchor + 1
      } else {
        firstGone = min(firstGone, position)
      }
    }
    return gaps.sorted { ($0.place, $0.position) < ($1.place, $1.position) }
  }
}

extension CollectionChange {
  /// Returns the new position of each member of the old version, `nil` for removed ones.
  ///
  /// - Complexity: O(*n*) for *n* members.
  fileprivate func newPositions(of count: Int) -> [Int?] {
    var isTouched = [Bool](repeating: false, count: count)
    var isTaken = [Bool](repeating: false, count: count - deletions.count + insertions.count)
    for position in deletions { isTouched[position] = true }
    for position in insertions { isTaken[position] = true }
    for move in moves { (isTouched[move.old], isTaken[move.new]) = (true, true) }
    var positions = [Int?](repeating: nil, count: count)
    var next = 0
    for position in 0..<count where !isTouched[position] {
      while isTaken[next] { next += 1 }
      positions[position] = next
      next += 1
    }
    for move in moves { positions[move.old] = move.new }
    return positions
  }
}
