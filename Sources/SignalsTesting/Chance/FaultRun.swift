internal import Signals

/// One run of a fault plan: a host whose stores fail at one step.
///
/// State: `before`, what each store had, in the order of `stores`.
final class FaultRun {
  let app: TestHost
  let step: Int
  let stores: [Store]
  private let before: [StoreState]
  private let screen: ScreenTree
  private let faults: FaultPoints
  private let onRefusal: [(any Error) -> Void]

  init(_ app: TestHost, _ step: Int) {
    self.app = app
    self.step = step
    stores = app.host.storesOnScreen
    before = stores.map(StoreState.init)
    screen = app.screen
    onRefusal = stores.map(\.onRefusal)
    faults = FaultPoints(failing: step) { InjectedFault(step: $0, name: $1) }
    for store in stores {
      store.faults = faults
      // What no caller is thrown is undone, and that is all.
      store.onRefusal = { [onRefusal = store.onRefusal] error in
        if !(error is InjectedFault) { onRefusal(error) }
      }
    }
  }

  /// Lets the stores be as they were made.
  func finish() {
    for (store, onRefusal) in zip(stores, onRefusal) {
      store.faults = nil
      store.onRefusal = onRefusal
    }
  }

  /// The name of the step that failed, if one did.
  var failed: String? { faults.failed }

  /// Whether it failed in something that a commit had set off.
  var failedInReaction: Bool { faults.failedInReaction }

  var changes: [String] {
    stores.indices.flatMap { index -> [String] in
      let lines = before[index].changes(in: stores[index])
      if lines.isEmpty { return [] }
      return ["\(index == 0 ? "the store" : "store \(index + 1)") has changed:"] + lines
    }
  }

  var screenChanges: [String] {
    let lines = ScreenReport(from: screen, to: app.screen).lines
    return lines.isEmpty ? [] : ["the screen has changed:"] + lines
  }
}

/// What a store has, and what can be undone and redone in it.
private struct StoreState {
  private let snapshot: Snapshot
  private let order: StoreOrder
  private let history: [StepCounts]

  init(_ store: Store) {
    snapshot = store.snapshot()
    order = StoreOrder(store)
    history = store.stepCounts
  }

  /// What has changed since, in lines.
  func changes(in store: Store) -> [String] {
    let lines = ChangeReport(
      snapshot.changes(to: store.snapshot()).withoutViewState, in: store, after: order
    ).lines
    let steps = zip(history, store.stepCounts).filter { $0 != $1 }.map { old, new in
      "what can be undone and redone: \(old) -> \(new)"
    }
    return lines + steps
  }
}
