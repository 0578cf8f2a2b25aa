import Foundation
import Signals
import TestSupport

// What a history does: one outermost step after the other, each in the store and in the model.

extension StoreHistory {
  func step() throws {
    switch choice.number(14) {
    case 0, 1: for _ in 0...choice.number(4) { try undo() }
    case 2: for _ in 0...choice.number(3) { try redo() }
    case 3: try keepSnapshot()
    case 4, 5, 6: single()
    default:
      let operations = choice.operations(model, atMost: 6)
      if choice.number(4) == 0 {
        for count in 0...operations.count { transact(operations.prefix(count), fails: true) }
      }
      let isUndoable = undoLimit == 0 || choice.number(60) > 0
      transact(operations[...], fails: choice.number(6) == 0, isUndoable: isUndoable)
    }
    if model.departed.count > 10, let oldest = model.departed.keys.min() { model.forget(oldest) }
  }

  // MARK: - Transactions

  /// One operation without a transaction around it.
  private func single() {
    let operation = choice.operation(model, 2)
    let before = start()
    steps += 1
    note("single \(operation)")
    let outcome = model.make(operation)
    var error: (any Error)?
    do { try make(operation) } catch let thrown { error = thrown }
    switch outcome {
    case .fails(let reasons): expect(error, reasons)
    case .refused(let reasons): expect(refused.popLast(), reasons)
    case .done:
      if let reason = model.settle(before, hasHook: hasHook) {
        expect(error ?? refused.popLast(), [reason])
        model = before
      } else if let error {
        fail("\(operation) failed: \(error)")
      }
    }
    finish(before, isUndoable: true)
  }

  /// Several as one transaction.
  private func transact(
    _ operations: ArraySlice<ModelOperation>, fails: Bool, isUndoable: Bool = true
  ) {
    let before = start()
    note("transaction fails \(fails) undoable \(isUndoable)")
    var expected: Set<StoreModel.Failure>?
    do {
      try store.write(undoable: isUndoable) {
        for operation in operations { perform(operation) }
        expected = refusal ?? model.settle(before, hasHook: hasHook).map { [$0] }
        if fails { throw Refusal() }
      }
      if fails || expected != nil { fail("the transaction did not fail: \(expected ?? [])") }
    } catch {
      if !fails || !(error is Refusal) { expect(error, expected ?? []) }
      model = before
    }
    finish(before, isUndoable: isUndoable)
  }

  /// One operation within a transaction.
  private func perform(_ operation: ModelOperation) {
    steps += 1
    if case .savepoint(let operations, let fails) = operation {
      performSavepoint(operations, fails)
    } else {
      note("  \(operation)")
      let outcome = model.make(operation)
      var error: (any Error)?
      do { try make(operation) } catch let thrown { error = thrown }
      switch outcome {
      case .fails(let reasons): expect(error, reasons)
      case .refused(let reasons): refusal = refusal ?? reasons
      case .done: if let error { fail("\(operation) failed: \(error)") }
      }
    }
    check(isInside: true)
  }

  private func make(_ operation: ModelOperation) throws {
    let found = try table.make(operation, in: store).map(\.modelNumber)
    if case .add = operation, found != model.answers {
      fail("\(found) instead of \(model.answers)")
    }
  }

  private func performSavepoint(_ operations: [ModelOperation], _ fails: Bool) {
    let before = model
    let outer = refusal
    refusal = nil
    note("  savepoint fails \(fails)")
    do {
      try store.write {
        for operation in operations { perform(operation) }
        if fails { throw Refusal() }
      }
      if fails || refusal != nil { fail("the savepoint did not fail") }
    } catch {
      if !fails || !(error is Refusal) { expect(error, refusal ?? []) }
      model = before
    }
    note("  savepoint ends")
    refusal = outer
  }

  private func start() -> StoreModel {
    observers.expectNothing()
    refusal = nil
    refused = []
    return model
  }

  private func finish(_ before: StoreModel, isUndoable: Bool) {
    model.close()
    if model.nodes != before.nodes, undoLimit > 0 {
      if isUndoable {
        past.append(before)
        if past.count > undoLimit { past.removeFirst() }
        future = []
      } else {
        isMixed = true
      }
    }
    for number in model.departed.keys where before.isStored(number) { local.remove(number) }
    local.formUnion(table.written)
    table.written = []
    if !refused.isEmpty { fail("refused: \(refused)") }
    checkCommit(before)
  }

  private func expect(_ error: (any Error)?, _ reasons: Set<StoreModel.Failure>) {
    guard let error else { return fail("nothing failed: \(reasons)") }
    guard let failure = StoreModel.Failure(error), reasons.contains(failure) else {
      return fail("\(error) instead of \(reasons)")
    }
  }

  // MARK: - Undo

  private func undo() throws { try take(\.past, \.future, store.canUndo) { try store.undo() } }

  private func redo() throws { try take(\.future, \.past, store.canRedo) { try store.redo() } }

  private func take(
    _ from: ReferenceWritableKeyPath<StoreHistory, [StoreModel]>,
    _ onto: ReferenceWritableKeyPath<StoreHistory, [StoreModel]>, _ isPossible: Bool,
    _ body: () throws -> Void
  ) throws {
    let before = start()
    steps += 1
    note("undo or redo: \(from == \.past), mixed \(isMixed)")
    if isMixed {
      // What the model has is no more than whole states: what came between is not in them.
      try? body()
      adopt()
    } else if self[keyPath: from].isEmpty {
      if isPossible { fail("there is more to undo or redo than was done") }
      do {
        try body()
        fail("undo or redo of nothing")
      } catch StoreError.nothingToUndo, StoreError.nothingToRedo {
      } catch { fail("undo or redo: \(error)") }
    } else {
      do { try body() } catch { fail("undo or redo: \(error)") }
      self[keyPath: onto].append(before)
      model.become(self[keyPath: from].removeLast())
    }
    // What a step has added is left as it was added; also if it was deleted in the same step.
    local.formUnion(model.departed.keys)
    checkCommit(before)
  }

  // MARK: - Snapshots

  private func keepSnapshot() throws {
    if let keep = keeps.randomElement(using: &choice.random), choice.number(3) == 0 {
      let before = start()
      steps += 1
      note("restore")
      try restore(keep.snapshot, keep.model)
      checkRestored(before)
      return
    }
    note("snapshot")
    if keeps.count > 2 { keeps.removeFirst() }
    keeps.append((store.snapshot(), model))
    try checkSnapshots()
  }
}
