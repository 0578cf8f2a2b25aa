import Foundation
import Signals
import TestSupport

/// A store, its model, a replica and observers, in one random history.
///
/// State: `model` is what the store must have; `past` and `future` what undo and redo lead to, unless
/// `isMixed`: a commit that can't be undone came between them. `table` has the instance of each number
/// of the model. `local` names the deleted objects that were written since, or that an undo has taken.
/// `refusal` is why the savepoint under way must fail. `told` and `runs` count what observers got since the
/// outermost transaction began. `keeps` are snapshots with what they must have.
final class StoreHistory {
  let seed: UInt64
  var choice: ModelChoice
  var steps = 0
  var wrong: [String] = []
  /// What was done, if it is to be told.
  var trace: [String]?

  let undoLimit: Int
  let hasHook: Bool
  let readsInside: Bool
  private(set) var store: Store
  private(set) var replica = Store()
  let other = Store()
  var model = StoreModel()
  var past: [StoreModel] = []
  var future: [StoreModel] = []
  var isMixed = false
  let table = ObjectTable()
  var local: Set<Int> = []
  var refusal: Set<StoreModel.Failure>?
  var refused: [any Error] = []
  var keeps: [(snapshot: Snapshot, model: StoreModel)] = []
  let observers: HistoryObservers

  init(seed: UInt64) throws {
    self.seed = seed
    choice = ModelChoice(seed: seed)
    undoLimit = [0, 4, 30, 30][choice.number(4)]
    hasHook = choice.number(3) == 0
    readsInside = choice.number(3) > 0
    store = Store(undoLimit: undoLimit)
    observers = HistoryObservers(
      followsCommits: choice.number(5) > 0, watchesResults: choice.number(2) == 0,
      watchesAll: choice.number(3) == 0)
    try table.nameForeigners(in: other)
    begin()
  }

  /// Connects everything that looks at the store.
  private func begin() {
    store.onRefusal = { [unowned self] in refused.append($0) }
    if hasHook { store.beforeCommit(hook) }
    observers.watch(store)
  }

  private var hook: (ChangeSet) throws -> Void {
    { [unowned self] change in
      for one in change.changes {
        guard let number = table.numbers[one.id], let being = table[number] as? Being else {
          continue
        }
        if one.kind == .deleted { continue }
        if one["text"]?.new as? String == "forbidden" { throw HookRefusal() }
        let isNew = one.kind == .inserted && change.origin != .undo && change.origin != .redo
        if isNew, being.text.isEmpty { being.text = "named" }
      }
    }
  }

  /// Goes on with another store, which has what a snapshot had.
  func restore(_ snapshot: Snapshot, _ then: StoreModel) throws {
    if observers.followsCommits {
      let report = try replica.apply(store.snapshot().changes(to: snapshot))
      if !report.isClean { fail("the replica could not follow: \(report.conflicts)") }
    }
    observers.stop()
    store = Store(snapshot, undoLimit: undoLimit)
    for object in Array(store.results(Being.self)) as [Object] + Array(store.results(Limb.self)) {
      guard let number = table.numbers[object.objectID] else { continue }
      table.name(object, number)
      table.made.append(object)
    }
    begin()
    model.become(then)
    model.close()
    (past, future, isMixed) = ([], [], false)
    local.formUnion(model.departed.keys)
  }

  func fail(_ what: String) {
    wrong.append(what)
    note("WRONG: \(what)")
  }

  func note(_ what: @autoclosure () -> String) { trace?.append(what()) }

  /// Takes rings of unstored objects apart, which nobody else would, and lets everything go.
  func end() {
    observers.stop()
    for object in table.made where object.store == nil {
      for slot in object is Being ? Slot.ofBeing : Slot.ofLimb { object.set(slot, []) }
    }
    let (old, replicaBefore) = (Weak(store), Weak(replica))
    store = Store()
    replica = Store()
    (table.made, table.objects, keeps) = ([], [:], [])
    if old.value != nil || replicaBefore.value != nil { fail("a store is alive") }
    if table.headcount.count != 0 { fail("\(table.headcount.count) objects are alive") }
  }

  private struct Weak {
    weak let value: Store?
    init(_ value: Store) { self.value = value }
  }
}
