import Signals
import SignalsTesting
import TestSupport
import Testing

/// Random edits of lists against arrays, while change sets, exact changes, snapshots, queries, undo
/// and copies need older versions, or nothing does.
///
/// `SIGNALS_STEPS` sets the number of steps.
@Suite struct `Lists, random histories` {
  @Test(arguments: seeds(10))
  func `lists, back-links, changes and undo are those of arrays`(seed: UInt64) {
    ListWorld.run(seed: seed, steps: runLength(usually: 600))
  }
}

/// A store with lists that are edited in any way, and arrays of the same elements.
private final class ListWorld: RandomHistory {
  let seed: UInt64
  private(set) var failures: [String] = []
  private var random: SeededRandom
  private let store: Store
  private let shelves = (0..<3).map { makeShelf("\($0)") }
  private let novels = (0..<100).map { makeNovel($0) }
  /// The keys of each list.
  private var model: [[Int]] = [[], [], []]
  /// The model before each step that can be undone.
  private var steps: [[[Int]]] = []
  private let undoes: Bool
  private var observers: [any Cancellable] = []
  /// The lists as the change sets have them, if something receives these.
  private var followed: [[ObjectID]]?
  /// The first list as its exact changes have it.
  private var shown: [Novel]?
  private var held: [(list: List<Novel>, keys: [Int])] = []
  private var snapshots: [(snapshot: Snapshot, keys: [[Int]])] = []
  private let takesSnapshots: Bool
  private var refuses = false

  private var isUndone = false
  private var isUndoing = false

  init(seed: UInt64) {
    self.seed = seed
    random = SeededRandom(seed: seed)
    undoes = seed % 2 == 0
    takesSnapshots = seed % 5 == 3
    store = Store(undoLimit: undoes ? 1000 : 0)
    do {
      try store.write(undoable: false) {
        try store.add(shelves)
        try store.add(novels)
      }
    } catch { failures.append("\(error)") }
    if seed % 3 == 0 {
      followed = [[], [], []]
      observers.append(store.commits.sink { [unowned self] in follow($0) })
    }
    if seed % 4 == 1 {
      shown = []
      observers.append(
        shelves[0].changes(of: \.novels).sink { [unowned self] in show($0) })
    }
    if seed % 5 == 2 {
      observers.append(store.results(Shelf.self).observe { _ in })
    }
    if seed % 7 == 4 {
      observers.append(
        store.beforeCommit { [unowned self] change in
          if refuses { throw Refusal() }
          // A rule that edits a list which the transaction may have edited already.
          if !isUndoing, change[shelves[1]]?.edits(of: \.novels) != nil, model[2].count % 3 == 2 {
            shelves[2].novels.append(novels[0])
            model[2].append(0)
          }
        })
    }
  }

  private func show(_ change: CollectionChange<Novel>) {
    var rows = shown ?? []
    change.apply(to: &rows)
    shown = rows
  }

  private func follow(_ change: ChangeSet) {
    for number in shelves.indices {
      guard let edits = change[shelves[number]]?.edits(of: \.novels) else { continue }
      var ids = followed?[number] ?? []
      edits.apply(to: &ids)
      followed?[number] = ids
    }
  }

  func step() {
    let before = model
    switch chance(12) {
    case 0: inAWrite()
    case 1: undo()
    case 2: hold()
    default: edit()
    }
    if undoes, model != before, !isUndone { steps.append(before) }
    isUndone = false
    check()
  }

  private func chance(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  private func undo() {
    guard let last = steps.popLast() else { return }
    isUndoing = true
    defer { isUndoing = false }
    do { try store.undo() } catch { failures.append("undo: \(error)") }
    model = last
    isUndone = true
  }

  private func hold() {
    let number = chance(3)
    held.append((shelves[number].novels, model[number]))
    if held.count > 3 { held.removeFirst() }
    if takesSnapshots {
      snapshots.append((store.snapshot(), model))
      if snapshots.count > 3 { snapshots.removeFirst() }
    }
  }

  /// Several edits in a write, which may be rolled back as a whole or in part.
  private func inAWrite() {
    let before = model
    refuses = chance(3) == 0
    let isRefused = refuses && seed % 7 == 4
    do {
      try store.write {
        for _ in 0..<chance(8) {
          if chance(3) > 0 {
            edit()
            continue
          }
          let savepoint = model
          do {
            try store.write {
              for _ in 0..<chance(4) { edit() }
              if chance(2) == 0 { throw Refusal(reason: "savepoint") }
            }
          } catch { model = savepoint }
        }
        if chance(4) == 0 { throw Refusal(reason: "all") }
      }
    } catch { model = before }
    refuses = false
    if isRefused, model != before { failures.append("a refused write was kept") }
  }

  private func edit() {
    let (number, key) = (chance(3), chance(novels.count))
    let (shelf, novel, count) = (shelves[number], novels[key], model[number].count)
    switch chance(count == 0 ? 3 : 14) {
    case 0, 1, 2:
      shelf.novels.append(novel)
      model[number].append(key)
    case 3, 4:
      let place = chance(count + 1)
      shelf.novels.insert(novel, at: place)
      model[number].insert(key, at: place)
    case 5, 6:
      let place = chance(count)
      if shelf.novels.remove(at: place).key != model[number].remove(at: place) {
        failures.append("another element was removed")
      }
    case 7:
      let place = chance(count)
      shelf.novels[place] = novel
      model[number][place] = key
    case 8:
      shelf.novels.remove(novel)
      if let place = model[number].firstIndex(of: key) { model[number].remove(at: place) }
    case 9: mutate(number, novel, key)
    case 10:
      let bounds = chance(count)..<count
      shelf.novels.replaceSubrange(bounds, with: [novel, novel])
      model[number].replaceSubrange(bounds, with: [key, key])
    case 11: delete(key)
    case 12:
      guard let (list, keys) = held.randomElement(using: &random) else { return }
      shelf.novels = list
      model[number] = keys
    default:
      let other = (number + 1) % 3
      // A rule may edit the other one in the same commit.
      let keys = model[other]
      shelf.novels = shelves[other].novels
      model[number] = keys
    }
  }

  /// Deletes a member, or now and then a list with its owner, and adds the object again.
  private func delete(_ key: Int) {
    do {
      if key < 10 {
        try store.write {
          try store.delete(shelves[key % 3])
          shelves[key % 3].novels.append(novels[key])
          try store.add(shelves[key % 3])
        }
        model[key % 3] = [key]
      } else {
        try store.write {
          try store.delete(novels[key])
          try store.add(novels[key])
        }
        for number in model.indices { model[number].removeAll { $0 == key } }
      }
    } catch { failures.append("\(error)") }
  }

  /// One mutation with an edit, and with reads, copies, further edits or a replacement.
  private func mutate(_ number: Int, _ novel: Novel, _ key: Int) {
    let kind = chance(5)
    let (other, keys) = (shelves[(number + 1) % 3].novels, model[(number + 1) % 3])
    func change(_ list: inout List<Novel>) {
      list.insert(novel, at: 0)
      switch kind {
      case 0: if list.first !== novel { failures.append("an edit can't be read at once") }
      case 1: list.removeLast()
      case 2:
        var copy = list
        copy.removeAll()
        list.append(novel)
      case 3: list = other
      default: held.append((list, [key] + model[number]))
      }
    }
    change(&shelves[number].novels)
    switch kind {
    case 1: model[number] = Array(([key] + model[number]).dropLast())
    case 2: model[number] = [key] + model[number] + [key]
    case 3: model[number] = keys
    default: model[number] = [key] + model[number]
    }
  }

  private func check() {
    for (shelf, keys) in zip(shelves, model) where shelf.novels.map(\.key) != keys {
      failures.append("\(shelf.novels.map(\.key)) is not \(keys)")
    }
    failures += store.brokenInvariants()
    for (list, keys) in held where list.map(\.key) != keys {
      failures.append("a held list is \(list.map(\.key)), not \(keys)")
    }
    if let followed, followed != shelves.map({ $0.novels.map(\.objectID) }) {
      failures.append("change sets lead to other lists")
    }
    if let shown, shown != Array(shelves[0].novels) { failures.append("exact changes differ") }
    if snapshots.isEmpty || chance(10) > 0 { return }
    for (snapshot, keys) in snapshots {
      let lists = snapshot.withObjects { objects in
        shelves.map { (objects.object($0.objectID) as? Shelf)?.novels.map(\.key) ?? [] }
      }
      if lists != keys { failures.append("a snapshot has \(lists), not \(keys)") }
    }
  }
}
