/// What a store holds, as dictionaries and arrays of values: nothing of the library's is used here.
struct StoreModel {
  enum Kind { case being, special, limb }

  struct Node: Equatable, CustomStringConvertible {
    let kind: Kind
    var key = 0
    var tag = 0
    var text = ""
    /// What each link and list refers to, in the order of slots.
    var refs: [[Int]]
    /// Where it stands in the order of adding; no part of what it is.
    var place = 0

    init(_ kind: Kind) {
      self.kind = kind
      refs = StoreModel.slots(of: kind).map { _ in [] }
    }

    var slots: [Slot] { StoreModel.slots(of: kind) }
    static func == (one: Node, other: Node) -> Bool {
      one.kind == other.kind && one.key == other.key && one.tag == other.tag
        && one.text == other.text && one.refs == other.refs
    }

    var isBeing: Bool { kind != .limb }
    var description: String {
      let links = slots.filter { !self[$0].isEmpty }.map { "\($0) \(self[$0])" }
      return "\(kind)(\(key) \(tag) \(text) at \(place), \(links.joined(separator: ", ")))"
    }
    subscript(slot: Slot) -> [Int] {
      get { refs[slot.index] }
      set { refs[slot.index] = newValue }
    }
  }

  /// Why something is refused.
  enum Failure: String {
    case deleted, foreign, taken, denied, owned, ownerless, fixedKey, notInStore, hook
  }

  /// What an operation does beside what it writes.
  enum Outcome: Equatable {
    case done
    /// It writes nothing, and what called it is told at once, for one of these reasons.
    case fails(Set<Failure>)
    /// It writes nothing, and the savepoint around it fails at its end.
    case refused(Set<Failure>)
  }

  /// The objects of another store.
  static let foreigner = -1
  static let foreignLimb = -2

  /// The stored objects that stand for those that were added last.
  var answers: [Int] = []
  private(set) var nodes: [Int: Node] = [:]
  /// Those that were deleted, with their last values and nothing that they refer to.
  private(set) var departed: [Int: Node] = [:]
  /// Where those stood that went in the open transaction.
  private var left: [Int: Int] = [:]
  private var nextPlace = 0

  static func slots(of kind: Kind) -> [Slot] { kind == .limb ? Slot.ofLimb : Slot.ofBeing }

  // MARK: - Reading

  func isStored(_ number: Int) -> Bool { nodes[number] != nil }

  /// Objects of one sort in the order of adding.
  func ordered(_ isIncluded: (Node) -> Bool) -> [Int] {
    nodes.filter { isIncluded($0.value) }.sorted { $0.value.place < $1.value.place }.map(\.key)
  }

  /// What the live result of the histories has.
  var chosen: [Int] {
    ordered { node in
      guard node.isBeing, node.tag < 5 else { return false }
      return node[.friend].first.flatMap { nodes[$0] }.map { $0.tag != 1 } ?? true
    }.enumerated().sorted { one, other in
      let (a, b) = (nodes[one.element]?.text ?? "", nodes[other.element]?.text ?? "")
      return (a, one.offset) < (b, other.offset)
    }.map(\.element)
  }

  /// The object that owns each embedded one; nil if one has two, or is in a ring.
  var owners: [Int: Int]? {
    var owners: [Int: Int] = [:]
    for (number, node) in nodes {
      for slot in node.slots where slot.owns {
        for part in node[slot] where owners.updateValue(number, forKey: part) != nil { return nil }
      }
    }
    for first in owners.keys {
      var (current, steps) = (first, 0)
      while let owner = owners[current] {
        (current, steps) = (owner, steps + 1)
        if steps > owners.count { return nil }
      }
    }
    return owners
  }

  /// Embedded objects that nobody owns, as there are in the middle of a transaction.
  var ownerless: [Int] {
    let owners = owners ?? [:]
    return nodes.keys.filter { nodes[$0]?.isBeing == false && owners[$0] == nil }.sorted()
  }

  func holder(of key: Int) -> Int? { nodes.first { $0.value.isBeing && $0.value.key == key }?.key }

  // MARK: - Writing

  mutating func update(_ number: Int, _ change: (inout Node) -> Void) {
    guard var node = nodes[number] else { return }
    change(&node)
    nodes[number] = node
  }

  /// Adds an object: at the end, or where it was if it went in this transaction.
  mutating func insert(_ number: Int, _ node: Node) {
    var node = node
    nextPlace += 1
    node.place = departed[number] != nil ? left[number] ?? nextPlace : nextPlace
    departed[number] = nil
    nodes[number] = node
  }

  /// Takes objects out, and out of everything that refers to them.
  mutating func remove(_ numbers: Set<Int>) {
    for number in numbers {
      guard let node = nodes.removeValue(forKey: number) else { continue }
      depart(number, node)
      left[number] = node.place
    }
    for (number, node) in nodes {
      guard node.refs.contains(where: { $0.contains(where: numbers.contains) }) else { continue }
      update(number) { node in
        for index in node.refs.indices { node.refs[index].removeAll(where: numbers.contains) }
      }
    }
  }

  private mutating func depart(_ number: Int, _ node: Node) {
    var last = node
    last.refs = node.refs.map { _ in [] }
    departed[number] = last
  }

  /// Ends the outermost transaction.
  mutating func close() { left = [:] }

  /// Goes to where the store was at another time.
  mutating func become(_ other: StoreModel) {
    for (number, node) in nodes where other.nodes[number] == nil { depart(number, node) }
    for number in other.nodes.keys { departed[number] = nil }
    nodes = other.nodes
  }

  mutating func forget(_ number: Int) { departed[number] = nil }
}
