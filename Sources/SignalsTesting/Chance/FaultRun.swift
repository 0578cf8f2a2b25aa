internal import Signals

/// One run of a fault plan: a host whose stores fail at one step.
///
/// State: `before`, the state of each store before the intent, in the order of `stores`.
final class FaultRun {
  let app: TestHost
  let step: Int
  let stores: [Store]
  private let before: [StoreState]
  private let screen: ScreenTree
  private let faults: FaultPoints
  private let onRefusal: [(any Error) -> Void]

  init(_ app: TestHost, step: Int) {
    self.app = app
    self.step = step
    stores = app.host.storesOnScreen
    before = stores.map(StoreState.init)
    screen = app.screen
    onRefusal = stores.map(\.onRefusal)
    faults = FaultPoints(failing: step) { InjectedFault(step: $0, name: $1) }
    for store in stores {
      store.faults = faults
      // An injected fault that reaches no caller is only undone, not reported.
      store.onRefusal = { [onRefusal = store.onRefusal] error in
        if !(error is InjectedFault) { onRefusal(error) }
      }
    }
  }

  /// Resets the stores to their normal behavior.
  func finish() {
    for (store, onRefusal) in zip(stores, onRefusal) {
      store.faults = nil
      store.onRefusal = onRefusal
    }
  }

  /// The name of the step that failed; nil if none did.
  var failed: String? { faults.failed }

  /// Whether the step failed in a reaction to a commit.
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

/// The contents of a store, and what can be undone and redone in it.
private struct StoreState {
  private let snapshot: Snapshot
  private let order: StoreOrder
  private let history: [StepCounts]

  init(_ store: Store) {
    snapshot = store.snapshot()
    order = StoreOrder(store)
    history = store.stepCounts
  }

  /// Returns the changes since then, in lines.
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
