// The edits that lead from one version of a list to another, named by members and neighbors, so that
// they can be made in any version. Change sets, drafts, undo and sync use them.
//
// Equal members are numbered in the old version.

/// The edits of a list, to be made in another version of it.
///
/// - An inserted member follows the member that it follows in the new version, and what another
///   version has inserted there. At the end of the new version it is appended, at the beginning it
///   comes first. The nearest neighbor counts that the other version has.
/// - A member that both versions have moved goes where the edits have it. A member that one of them
///   has removed stays removed. Of equal members, which aren't distinguished, one that both have
///   removed counts once.
/// - A member that the old version lacks, and that both have inserted, is inserted once. Of a member
///   that the old version has, two more copies both live.
package struct ListEdits<Member: Hashable> {
  /// A member, or one of several equal ones.
  package struct Element: Hashable {
    package let member: Member
    /// The number among the equal members, from 0 on.
    package let number: Int
    /// The number of equal members in the old version.
    package let count: Int

    package init(_ member: Member, number: Int = 0, count: Int = 1) {
      (self.member, self.number, self.count) = (member, number, count)
    }
  }

  /// The reason why a member arrives.
  package enum Arrival: UInt8, Sendable {
    case moved
    /// The old version lacks the member.
    case inserted
    /// The old version has an equal member.
    case copied
  }

  /// Members that arrive side by side.
  package struct Run {
    /// Members that stay, from the nearest one to the beginning of the list; empty at its ends.
    package let before: [Element]
    package let members: [(element: Element, arrival: Arrival)]
    /// Members that stay, from the nearest one to the end of the list; empty at its end.
    package let after: [Element]

    package init(
      before: [Element], members: [(element: Element, arrival: Arrival)], after: [Element]
    ) {
      (self.before, self.members, self.after) = (before, members, after)
    }
  }

  /// The removed members, without those that are moved.
  package let removed: [Element]
  /// The inserted and moved members, in the order of the new version.
  package let runs: [Run]

  package init(removed: [Element], runs: [Run]) { (self.removed, self.runs) = (removed, runs) }

  /// Creates the edits that lead from one version to another.
  ///
  /// - Complexity: O(*n* + *t* log *n*) for *n* members and *t* edits.
  @specialized(where Member == ObjectID)
  package init(from old: [Member], to new: [Member]) {
    let change = CollectionChange(from: old, to: new)
    let leaving = (change.deletions + change.moves.map(\.old)).sorted()
    var arriving = change.moves.map { (position: $0.new, old: Int?($0.old)) }
    arriving += change.insertions.map { ($0, nil) }
    arriving.sort { $0.position < $1.position }
    let staying = Self.positions(of: old.count, without: leaving)
    // The runs, each with the number of members that stay before it.
    var runs: [(stayers: Int, members: Range<Int>)] = []
    for (index, next) in arriving.enumerated() {
      if let last = runs.last, arriving[index - 1].position + 1 == next.position {
        runs[runs.count - 1].members = last.members.lowerBound..<index + 1
      } else {
        runs.append((next.position - index, index..<index + 1))
      }
    }
    let neighbors = runs.map { run in
      // At the ends of the list, no neighbor is needed to find the place.
      let (before, after) = (run.stayers, staying.count - run.stayers)
      return (
        before: Self.distances(atMost: after == 0 ? 0 : before).map { staying[before - $0] },
        after: Self.distances(atMost: before == 0 ? min(after, 1) : after).map {
          staying[before + $0 - 1]
        }
      )
    }
    let named = neighbors.flatMap { $0.before + $0.after } + leaving
    let places = ListPlaces(
      of: named.map { old[$0] } + change.inserted, in: old)
    var inserted: [Member: Int] = [:]
    removed = change.deletions.map { places.element(at: $0) }
    self.runs = zip(runs, neighbors).map { run, neighbors in
      Run(
        before: neighbors.before.map { places.element(at: $0) },
        members: arriving[run.members].map { position, former in
          if let former { return (places.element(at: former), .moved) }
          let number = inserted[new[position], default: 0]
          inserted[new[position]] = number + 1
          let isCopy = places.hasMember(new[position])
          return (Element(new[position], number: number), isCopy ? .copied : .inserted)
        },
        after: neighbors.after.map { places.element(at: $0) })
    }
  }

  /// Makes the edits in a version of the list.
  ///
  /// In the old version, the result is the new one.
  ///
  /// - Returns: The result, and the members that were to be moved and aren't there.
  /// - Complexity: O(*n* + *t* log *n*) for *n* members and *t* edits.
  @specialized(where Member == ObjectID)
  package func applied(to present: [Member]) -> (members: [Member], lost: [Member]) {
    if removed.isEmpty, runs.isEmpty { return (present, []) }
    let places = ListPlaces(
      of: removed.map(\.member)
        + runs.flatMap { run in
          (run.before + run.members.map(\.element) + run.after).map(\.member)
        }, in: present)
    var isLeaving = [Bool](repeating: false, count: present.count)
    var gaps: [(place: Int, member: Member)] = []
    var lost: [Member] = []
    // Of equal members, as many were removed there as are fewer.
    var gone: [Member: Int] = [:]
    for element in removed {
      if element.count > 1 {
        let left = gone[element.member] ?? element.count - places.count(of: element.member)
        gone[element.member] = left - 1
        if left > 0 { continue }
      }
      if let place = places.nearest(to: element, where: { !isLeaving[$0] }) {
        isLeaving[place] = true
      }
    }
    for run in runs {
      let first = gaps.count
      var place = Self.place(of: run, places, in: present.count)
      for (element, arrival) in run.members {
        switch (arrival, places[element]) {
        case (.moved, let former?):
          isLeaving[former] = true
          gaps.append((place, element.member))
        case (.moved, nil): lost.append(element.member)
        case (.inserted, let other?):
          // Both have inserted it; the others arrive around it.
          for index in first..<gaps.count { gaps[index].place = min(gaps[index].place, other) }
          place = other + 1
        case (.inserted, nil), (.copied, _): gaps.append((place, element.member))
        }
      }
    }
    let order = gaps.indices.sorted { (gaps[$0].place, $0) < (gaps[$1].place, $1) }
    var members: [Member] = []
    members.reserveCapacity(present.count + gaps.count)
    var next = 0
    for place in 0...present.count {
      while next < order.count, gaps[order[next]].place == place {
        members.append(gaps[order[next]].member)
        next += 1
      }
      if place < present.count, !isLeaving[place] { members.append(present[place]) }
    }
    return (members, lost)
  }

  /// Returns the place before which a run belongs.
  private static func place(of run: Run, _ places: ListPlaces<Member>, in count: Int) -> Int {
    if run.after.isEmpty { return count }
    if run.before.isEmpty { return 0 }
    let next = run.after.lazy.compactMap { places[$0] }
    guard let previous = run.before.lazy.compactMap({ places[$0] }).first else {
      return next.first ?? count
    }
    return next.filter { $0 > previous }.min() ?? previous + 1
  }

  /// The distances of the neighbors that are named: the near ones, and few of the others, so that
  /// one of them is there if many members were removed.
  private static func distances(atMost limit: Int) -> [Int] {
    var distances = Array(1..<min(limit, 3) + 1)
    var next = 8
    while next <= limit {
      distances.append(next)
      next *= 8
    }
    return distances
  }

  /// Returns the positions below a number, without some ascending ones.
  private static func positions(of count: Int, without leaving: [Int]) -> [Int] {
    var positions: [Int] = []
    positions.reserveCapacity(count - leaving.count)
    var start = 0
    for position in leaving {
      positions += start..<position
      start = position + 1
    }
    positions += start..<count
    return positions
  }
}

/// The places of some members in a list.
private struct ListPlaces<Member: Hashable> {
  private let list: [Member]
  /// The first place of each member, or -1.
  private var first: [Member: Int]
  /// All places of the members that are there more than once.
  private var all: [Member: [Int]] = [:]

  init(of members: [Member], in list: [Member]) {
    self.list = list
    first = Dictionary(members.lazy.map { ($0, -1) }) { first, _ in first }
    // Comparing with few members is faster than a hash of each one in the list.
    let few = first.count <= 4 ? Array(first.keys) : nil
    for (position, member) in list.enumerated() {
      if let few, !few.contains(member) { continue }
      guard let index = first.index(forKey: member) else { continue }
      let place = first.values[index]
      if place < 0 {
        first.values[index] = position
      } else {
        all[member, default: [place]].append(position)
      }
    }
  }

  func hasMember(_ member: Member) -> Bool { count(of: member) > 0 }

  func count(of member: Member) -> Int {
    all[member]?.count ?? (first[member].map { $0 >= 0 ? 1 : 0 } ?? 0)
  }

  /// Returns the place of an element or, if there are fewer equal members, of the last one before it.
  func nearest(
    to element: ListEdits<Member>.Element, where isFree: (Int) -> Bool
  ) -> Int? {
    guard let places = all[element.member] else {
      return first[element.member].flatMap { $0 >= 0 && isFree($0) ? $0 : nil }
    }
    return places.prefix(element.number + 1).last(where: isFree) ?? places.first(where: isFree)
  }

  subscript(element: ListEdits<Member>.Element) -> Int? {
    if !all.isEmpty, let places = all[element.member] {
      return element.number < places.count ? places[element.number] : nil
    }
    return element.number > 0 ? nil : first[element.member].flatMap { $0 < 0 ? nil : $0 }
  }

  func element(at position: Int) -> ListEdits<Member>.Element {
    guard !all.isEmpty, let places = all[list[position]] else {
      return ListEdits<Member>.Element(list[position])
    }
    // They ascend.
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle] < position { low = middle + 1 } else { high = middle }
    }
    return ListEdits<Member>.Element(list[position], number: low, count: places.count)
  }
}

extension ListEdits: Sendable where Member: Sendable {}
extension ListEdits.Element: Sendable where Member: Sendable {}
extension ListEdits.Run: Sendable where Member: Sendable {}
