// Random histories of several peers, delivered in random order, late and more than once.

internal import Signals
internal import SignalsSync
internal import TestSupport
internal import Testing

@Suite struct SimulationTests {
  static let seeds = firstSeed..<firstSeed + UInt64(historyCount(usually: 600))

  @Test(arguments: seeds)
  func `Parts that are moved into each other are never lost`(seed: UInt64) throws {
    var simulation = Simulation(seed: seed + 20_000, peers: 3)
    simulation.onlyParts = true
    for _ in 0..<60 { try simulation.step() }
    try simulation.finish()
    #expect(simulation.failures == [], "seed \(seed)")
  }

  @Test(arguments: seeds)
  func `Peers that received the same sets show what the model says`(seed: UInt64) throws {
    var simulation = Simulation(seed: seed, peers: 2 + Int(seed % 2))
    for _ in 0..<80 { try simulation.step() }
    try simulation.finish()
    #expect(simulation.failures == [], "seed \(seed)")
  }

  @Test(arguments: seeds)
  func `Peers whose code answers commits with commits converge`(seed: UInt64) throws {
    var simulation = Simulation(seed: seed + 40_000, peers: 2 + Int(seed % 2))
    simulation.addReactions()
    for _ in 0..<60 { try simulation.step() }
    simulation.removeReactions()
    try simulation.finish()
    #expect(simulation.failures == [], "seed \(seed)")
  }
}

struct Simulation {
  private var random: SeededGenerator
  private let time = VirtualTime()
  private var peers: [Peer]
  /// The sets that each peer hasn't received.
  private var queues: [[SharedChangeSet]]
  private var all: [SharedChangeSet] = []
  private var reactions: [Reactions] = []
  private(set) var failures: [String] = []
  private let kinds: Int
  /// Whether all changes are to parts and their owners.
  var onlyParts = false

  init(seed: UInt64, peers count: Int, kinds: Int = 20) {
    random = SeededGenerator(seed: seed)
    let time = time
    peers = (0..<count).map { Peer(UInt64($0) + 1, time: time, skew: $0 * 40) }
    queues = Array(repeating: [], count: count)
    self.kinds = kinds
  }

  mutating func step() throws {
    let peer = Int.random(in: 0..<peers.count, using: &random)
    if Int.random(in: 0..<4, using: &random) > 0 {
      act(on: peers[peer])
      broadcast(from: peer)
    } else {
      try deliver(to: peer)
    }
    time.advance(by: UInt64.random(in: 0...30, using: &random))
  }

  /// Gives each peer code that answers commits.
  mutating func addReactions() {
    reactions = peers.map { Reactions($0.store, seed: random.next()) }
  }

  /// Ends the code that answers commits, and sends what it did.
  mutating func removeReactions() {
    reactions = []
    for peer in peers.indices { broadcast(from: peer) }
  }

  private mutating func broadcast(from peer: Int) {
    let sets = peers[peer].take()
    all += sets
    for other in peers.indices where other != peer {
      for set in sets {
        queues[other].append(set)
        if Int.random(in: 0..<5, using: &random) == 0 { queues[other].append(set) }
      }
    }
  }

  private mutating func deliver(to peer: Int) throws {
    queues[peer].shuffle(using: &random)
    let count = Int.random(in: 0...queues[peer].count, using: &random)
    let sets = Array(queues[peer].prefix(count))
    queues[peer].removeFirst(count)
    try peers[peer].merging.merge(sets)
    check(peers[peer], "after a merge")
    broadcast(from: peer)
  }

  func state(of peer: Int) -> [UInt8] { peers[peer].merging.encodedState() }

  /// Replaces a peer by one that is restored from its snapshot and its merge state.
  mutating func restart(_ peer: Int) throws {
    broadcast(from: peer)
    let (store, state) = (Store(peers[peer].store.snapshot()), state(of: peer))
    let time = time
    peers[peer] = try Peer(restoring: state, store, time: time, made: peers[peer].made)
    check(peers[peer], "after a restart")
    // Sets that waited for earlier ones are sent again.
    queues[peer] = all.filter { $0.replica != peers[peer].merging.replica }
  }

  /// Delivers all that is on the way.
  mutating func deliverAll() throws {
    for peer in peers.indices {
      queues[peer].shuffle(using: &random)
      for set in queues[peer] { try peers[peer].merging.merge([set]) }
      queues[peer] = []
    }
  }

  /// Makes a peer forget as much as it may, after all sets have been delivered.
  mutating func compact(_ peer: Int) {
    time.advance(by: 10_000)
    peers[peer].merging.compact(before: HybridTime(milliseconds: time.now - 1000))
    check(peers[peer], "after compaction")
  }

  mutating func finish() throws {
    try deliverAll()
    let expected = try NaiveModel(all).visible
    for peer in peers where peer.visible != expected {
      let missing = Set(expected).subtracting(peer.visible).sorted()
      let extra = Set(peer.visible).subtracting(expected).sorted()
      failures.append("\(peer.merging.replica): expected \(missing), found \(extra)")
    }
  }

  private mutating func check(_ peer: Peer, _ moment: String) {
    let broken = peer.store.brokenInvariants()
    if !broken.isEmpty { failures.append("\(moment): \(broken)") }
  }

  // MARK: - Acting

  private mutating func pick<Element: Object>(_ type: Element.Type, of peer: Peer) -> Element? {
    let all = peer.store.storedObjects.compactMap { $0 as? Element }
    return all.sorted { $0.objectID < $1.objectID }.randomElement(using: &random)
  }

  private mutating func act(on peer: Peer) {
    do { try attempt(on: peer) } catch is StoreError {
      // What the model doesn't allow here is refused, and changes nothing.
    } catch {
      failures.append("\(error)")
    }
    check(peer, "after a write")
  }

  private mutating func attempt(on peer: Peer) throws {
    let number = Int.random(in: 0..<100, using: &random)
    if onlyParts, pick(Page.self, of: peer) != nil, number < 95 {
      return try changeParts(of: peer, number)
    }
    switch Int.random(in: 0..<(onlyParts ? 2 : kinds), using: &random) {
    case 0, 1:
      let page = Page()
      page.title = "p\(number)"
      page.visits = number
      try peer.store.add(page)
    case 2: pick(Page.self, of: peer)?.title = "t\(number)"
    case 3: pick(Page.self, of: peer)?.visits += number
    case 4: pick(Page.self, of: peer)?.weight += Double(number) / 4
    case 5: pick(Page.self, of: peer)?.seen = number
    case 6: pick(Page.self, of: peer)?.next = pick(Page.self, of: peer)
    case 7: if let page = pick(Page.self, of: peer) { try peer.store.delete(page) }
    case 8, 9:
      guard let page = pick(Page.self, of: peer), let other = pick(Page.self, of: peer) else {
        return
      }
      page.related.insert(other, at: number % (page.related.count + 1))
    case 10:
      guard let page = pick(Page.self, of: peer), !page.related.isEmpty else { return }
      let moved = page.related.remove(at: number % page.related.count)
      if number % 3 > 0 { page.related.insert(moved, at: number % (page.related.count + 1)) }
    case 11:
      guard let page = pick(Page.self, of: peer), page.related.count > 1 else { return }
      try page.write {
        let moved = page.related.remove(at: number % page.related.count)
        page.related.insert(moved, at: (number / 7) % (page.related.count + 1))
      }
    case 12:
      if number % 2 == 0 {
        _ = try? peer.store.undo(onConflict: .theirs)
      } else {
        _ = try? peer.store.redo(onConflict: .theirs)
      }
    case 13:
      let tag = Tag()
      (tag.name, tag.color, tag.uses) = ("k\(number % 4)", "c\(number)", number % 3)
      if let page = pick(Page.self, of: peer) { tag.pages = [page] }
      try peer.store.add(tag)
    case 14:
      guard let tag = pick(Tag.self, of: peer) else { return }
      switch number % 6 {
      case 0: tag.color = "d\(number)"
      case 1: tag.uses += number
      case 2: tag.rank = number
      case 3: tag.page = pick(Page.self, of: peer)
      case 4: if let page = pick(Page.self, of: peer) { tag.pages.append(page) }
      default: try peer.store.delete(tag)
      }
    case 15: try changeNotes(of: peer, number)
    default: try changeParts(of: peer, number)
    }
  }

  private mutating func changeNotes(of peer: Peer, _ number: Int) throws {
    guard let page = pick(Page.self, of: peer) else { return }
    switch number % 5 {
    case 0: page.note = Note()
    case 1: page.note = pick(Note.self, of: peer)
    case 2: page.note = nil
    case 3: pick(Note.self, of: peer)?.text = "n\(number)"
    default: if let note = pick(Note.self, of: peer) { try peer.store.delete(note) }
    }
  }

  private mutating func changeParts(of peer: Peer, _ number: Int) throws {
    guard let page = pick(Page.self, of: peer) else { return }
    switch onlyParts && number % 8 > 1 ? 6 : number % 8 {
    case 0: page.cover = Part()
    case 1: page.parts.insert(Part(), at: number % (page.parts.count + 1))
    case 2: pick(Part.self, of: peer)?.text = "x\(number)"
    case 3: if let part = pick(Part.self, of: peer) { try peer.store.delete(part) }
    case 4, 5:
      guard let part = pick(Part.self, of: peer), let owner = part.owner else { return }
      try peer.store.write {
        unlink(part, from: owner)
        if number % 16 < 8 { page.cover = part } else { page.parts.append(part) }
      }
    case 6:
      guard let part = pick(Part.self, of: peer), let whole = pick(Part.self, of: peer),
        let owner = part.owner
      else { return }
      try peer.store.write {
        unlink(part, from: owner)
        whole.inner = part
      }
    default: pick(Part.self, of: peer)?.note = pick(Note.self, of: peer)
    }
  }

  private func unlink(_ part: Part, from owner: Object) {
    if let page = owner as? Page {
      if page.cover === part { page.cover = nil }
      if let index = page.parts.firstIndex(where: { $0 === part }) { page.parts.remove(at: index) }
    }
    if let whole = owner as? Part { whole.inner = nil }
  }
}
