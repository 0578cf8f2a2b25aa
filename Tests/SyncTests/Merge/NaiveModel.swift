// What stores must converge to: all change sets ever made, in the order of their stamps, replayed
// into dictionaries; then the visible graph is derived from scratch.

internal import Signals
internal import SignalsSync

struct NaiveModel {
  struct Record {
    var type = ""
    var created: Stamp?
    var tombstone: Stamp?
    /// The creations and other edits, and the deletions, with what their authors had seen.
    var edits: [Stamp] = []
    var deletions: [(stamp: Stamp, seen: [ReplicaID: HybridTime])] = []
    var values: [String: (stamp: Stamp, bytes: [UInt8])] = [:]
    var added: [String: [ReplicaID: Double]] = [:]
    var maxima: [String: Int] = [:]
    var lists: [String: (positions: ListPositions<Stamp>, targets: [ObjectID])] = [:]
    /// The last target that each link had, and the targets that each list ever had.
    var lastTargets: [String: (stamp: Stamp, target: ObjectID)] = [:]
    var members: [String: [ObjectID: Stamp]] = [:]

    var isAlive: Bool {
      guard let created else { return false }
      guard let tombstone else { return true }
      if type != "Note" { return created > tombstone }
      return edits.contains { edit in
        deletions.allSatisfy { edit.time > $0.seen[edit.replica] ?? .zero }
      }
    }
  }

  var records: [ObjectID: Record] = [:]
  /// What each replica had seen when it made the set under way.
  private var seen: [ReplicaID: [ReplicaID: HybridTime]] = [:]
  private var dead: Set<ObjectID> = []
  private var owners: [ObjectID: Claim] = [:]
  /// The living members under each key, by member, in the order of their ids.
  private var groups: [ObjectID: [ObjectID]] = [:]

  private struct Claim: Equatable {
    let source: ObjectID
    let property: String
    let stamp: Stamp
  }

  init(_ sets: [SharedChangeSet]) throws {
    for set in sets.sorted(by: { $0.stamp < $1.stamp }) {
      for stamp in set.seen { seen[set.replica, default: [:]][stamp.replica] = stamp.time }
      seen[set.replica, default: [:]][set.replica] = set.time
      for operation in set.operations { try apply(operation, of: set) }
    }
    formGroups()
    derive()
  }

  private mutating func apply(_ operation: Operation, of set: SharedChangeSet) throws {
    let name = set.name(of: operation)
    var record = records[operation.object] ?? Record()
    if operation.kind.hasValue || operation.kind == .create { record.edits.append(set.stamp) }
    switch operation.kind {
    case .create:
      record.type = name
      record.created = set.stamp
    case .delete:
      record.tombstone = set.stamp
      record.deletions.append((set.stamp, seen[set.replica] ?? [:]))
    case .set:
      record.values[name] = (set.stamp, Array(set.valueBytes(of: operation)))
      var reader = ByteReader(Array(set.valueBytes(of: operation)))
      if ["cover", "inner"].contains(name),
        let target = try ValueCoding.decode(ObjectID?.self, from: &reader)
      {
        record.lastTargets[name] = (set.stamp, target)
      }
    case .add:
      let number: Double = try set.value(of: operation)
      record.added[name, default: [:]][set.replica, default: 0] += number
    case .maximum:
      record.maxima[name] = max(record.maxima[name] ?? .min, try set.value(of: operation))
    case .list:
      var list = record.lists[name] ?? (ListPositions(), [])
      let bytes: [UInt8] = try set.value(of: operation)
      for edit in try ListEditCoding.decode(bytes, stamp: set.stamp) {
        for effect in try list.positions.apply(edit.operation) {
          switch effect {
          case .inserted(let range, at: let index):
            list.targets.insert(contentsOf: edit.targets, at: index)
            for (number, target) in edit.targets.enumerated() {
              let stamp = ElementID(
                replica: range.first.replica, counter: range.first.counter + UInt64(number)
              ).stamp
              record.members[name, default: [:]][target] = max(
                stamp, record.members[name]?[target] ?? stamp)
            }
          case .removed(let range): list.targets.removeSubrange(range)
          case .moved(_, let from, let to, _):
            list.targets.insert(list.targets.remove(at: from), at: to)
          case .moveLost: break
          }
        }
      }
      record.lists[name] = list
    }
    records[operation.object] = record
  }

  // MARK: - Deriving

  private mutating func formGroups() {
    var byKey: [[UInt8]: [ObjectID]] = [:]
    for (id, record) in records where record.type == "Tag" && record.isAlive {
      byKey[record.values["name"]?.bytes ?? [], default: []].append(id)
    }
    for members in byKey.values {
      for member in members { groups[member] = members.sorted() }
    }
  }

  private func link(_ id: ObjectID, _ property: String) -> ObjectID? {
    guard let bytes = records[id]?.values[property]?.bytes else { return nil }
    var reader = ByteReader(bytes)
    return (try? ValueCoding.decode(ObjectID?.self, from: &reader)) ?? nil
  }

  private func claims(on part: ObjectID) -> [Claim] {
    var claims: [Claim] = []
    for (id, record) in records where record.isAlive && !dead.contains(id) {
      for property in ["cover", "inner"] where link(id, property) == part {
        guard let stamp = record.values[property]?.stamp else { continue }
        claims.append(Claim(source: id, property: property, stamp: stamp))
      }
      guard let list = record.lists["parts"] else { continue }
      let stamps = list.targets.indices.filter { list.targets[$0] == part }
        .map { list.positions.element(at: $0).stamp }
      if let latest = stamps.max() {
        claims.append(Claim(source: id, property: "parts", stamp: latest))
      }
    }
    return claims.sorted { ($0.stamp, $0.source, $0.property) < ($1.stamp, $1.source, $1.property) }
  }

  /// The owners that a part had before, from which it was taken since.
  private func formerClaims(on part: ObjectID) -> [Claim] {
    var claims: [Claim] = []
    for (id, record) in records where record.isAlive && !dead.contains(id) {
      for (property, last) in record.lastTargets
      where last.target == part && link(id, property) == nil {
        claims.append(Claim(source: id, property: property, stamp: last.stamp))
      }
      if let stamp = record.members["parts"]?[part],
        record.lists["parts"]?.targets.contains(part) == false
      {
        claims.append(Claim(source: id, property: "parts", stamp: stamp))
      }
    }
    return claims.sorted { ($0.stamp, $0.source, $0.property) < ($1.stamp, $1.source, $1.property) }
  }

  /// The parts that a link or list shows without having them.
  private func returned(to source: ObjectID, _ property: String) -> [ObjectID] {
    owners.filter { part, claim in
      claim.source == source && claim.property == property && !dead.contains(part)
        && (property == "parts"
          ? records[source]?.lists["parts"]?.targets.contains(part) != true
          : link(source, property) == nil)
    }.sorted { ($0.value.stamp, $0.key) < ($1.value.stamp, $1.key) }.map(\.key)
  }

  private mutating func derive() {
    dead = Set(records.filter { !$0.value.isAlive }.keys)
    while true {
      let before = dead
      var claims: [ObjectID: [Claim]] = [:]
      for (id, record) in records where record.type == "Part" && !dead.contains(id) {
        claims[id] = self.claims(on: id)
      }
      var fallen: Set<ObjectID> = []
      while let weakest = weakestOfACycle(claims) {
        claims[weakest]?.removeLast()
        if claims[weakest]?.isEmpty == true, fallen.insert(weakest).inserted {
          claims[weakest] = formerClaims(on: weakest)
        }
      }
      owners = claims.compactMapValues(\.last)
      for (id, list) in claims where list.isEmpty { dead.insert(id) }
      for id in dead {
        guard let target = link(id, "note"), let stamp = records[id]?.values["note"]?.stamp,
          let created = records[target]?.created, created <= stamp
        else { continue }
        dead.insert(target)
      }
      if dead == before { return }
    }
  }

  private func weakestOfACycle(_ claims: [ObjectID: [Claim]]) -> ObjectID? {
    for start in claims.keys.sorted() {
      var path: [ObjectID] = []
      var current = start
      while let claim = claims[current]?.last, !path.contains(current) {
        path.append(current)
        current = claim.source
      }
      guard let first = path.firstIndex(of: current), claims[current]?.last != nil else { continue }
      return path[first...].min {
        guard let one = claims[$0]?.last, let other = claims[$1]?.last else { return false }
        return (one.stamp, one.source, one.property) < (other.stamp, other.source, other.property)
      }
    }
    return nil
  }

  // MARK: - The visible graph

  private func canonical(_ id: ObjectID) -> ObjectID { groups[id]?.first ?? id }

  private func shown(_ target: ObjectID?, in source: ObjectID, _ property: String) -> String? {
    guard let target, records[target] != nil, !dead.contains(target) else { return nil }
    if records[target]?.type == "Part" {
      guard owners[target]?.source == source, owners[target]?.property == property else {
        return nil
      }
    }
    return "\(canonical(target))"
  }

  var visible: [String] {
    records.compactMap { id, record in
      dead.contains(id) || canonical(id) != id ? nil : describe(id, record)
    }.sorted()
  }

  private func describe(_ id: ObjectID, _ record: Record) -> String {
    let members = groups[id] ?? [id]
    func winner(_ name: String) -> ObjectID? {
      members.filter { records[$0]?.values[name] != nil }.max { one, other in
        guard let one = records[one]?.values[name]?.stamp,
          let other = records[other]?.values[name]?.stamp
        else { return false }
        return one < other
      }
    }
    func value<Value: Codable>(_ name: String, _ other: Value) -> Value {
      guard let winner = winner(name), let bytes = records[winner]?.values[name]?.bytes else {
        return other
      }
      var reader = ByteReader(bytes)
      return (try? ValueCoding.decode(from: &reader)) ?? other
    }
    func sum(_ name: String) -> Double {
      members.flatMap { records[$0]?.added[name] ?? [:] }.sorted { $0.key < $1.key }
        .reduce(0) { $0 + $1.value }
    }
    func maximum(_ name: String) -> Int {
      members.compactMap { records[$0]?.maxima[name] }.max() ?? 0
    }
    func link(_ name: String) -> String {
      winner(name).flatMap {
        shown(self.link($0, name) ?? returned(to: $0, name).first, in: $0, name)
      } ?? "-"
    }
    func list(_ name: String) -> String {
      members.flatMap { member -> [String] in
        guard let list = records[member]?.lists[name] else { return [] }
        return list.targets.indices.compactMap { index in
          let target = list.targets[index]
          if records[target]?.type == "Part",
            owners[target]?.stamp != list.positions.element(at: index).stamp
          {
            return nil
          }
          return shown(target, in: member, name)
        } + returned(to: member, name).compactMap { shown($0, in: member, name) }
      }.joined(separator: ",")
    }
    let values: [String] =
      switch record.type {
      case "Page":
        [
          value("title", ""), "\(value("size", 0))", "\(value("visits", 0) + Int(sum("visits")))",
          "\(value("weight", 0.0) + sum("weight"))", "\(maximum("seen"))", link("next"),
          list("related"), link("cover"), list("parts"), link("note"),
        ]
      case "Part": [value("text", ""), link("inner"), link("note")]
      case "Note": [value("text", "")]
      case "Tag":
        [
          value("name", ""), value("color", ""), "\(value("uses", 0) + Int(sum("uses")))",
          "\(maximum("rank"))", link("page"), list("pages"),
        ]
      default: []
      }
    return "\(record.type) \(id) " + values.joined(separator: "|")
  }
}
