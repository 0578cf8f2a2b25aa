import Signals
import TestSupport

/// One thing that can be done to a store, said in values.
enum ModelOperation {
  case add(StoreModel.Drafts, roots: [Int], ConflictPolicy)
  case delete(Int)
  case setTag(Int, Int)
  case setText(Int, String)
  case setKey(Int, Int)
  case link(Int, Slot, Int?, StoreModel.Drafts)
  case edit(Int, Slot, ListEdit, StoreModel.Drafts)
  /// A write to a deleted object.
  case scribble(Int, String)
  case savepoint([ModelOperation], fails: Bool)
}

extension StoreModel {
  /// Does it in the model.
  @discardableResult
  mutating func make(_ operation: ModelOperation) -> Outcome {
    switch operation {
    case .add(let drafts, let roots, let policy): return add(roots, policy, drafts)
    case .delete(let number): return delete(number)
    case .setTag(let number, let tag): update(number) { $0.tag = tag }
    case .setText(let number, let text): update(number) { $0.text = text }
    case .setKey(let number, let key):
      guard let node = nodes[number], node.key != key else { return .done }
      if node.isBeing { return .refused([.fixedKey]) }
      update(number) { $0.key = key }
    case .link(let number, let slot, let target, let drafts):
      return write(slot, of: number, target.map { [$0] } ?? [], drafts)
    case .edit(let number, let slot, let edit, let drafts):
      guard var list = nodes[number]?[slot] else { return .done }
      edit.make(in: &list)
      return write(slot, of: number, list, drafts)
    case .scribble: break
    case .savepoint(let operations, let fails):
      let before = self
      var refusal: Set<Failure>?
      for operation in operations {
        if case .refused(let reasons) = make(operation) { refusal = refusal ?? reasons }
      }
      if !fails, refusal == nil { return .done }
      self = before
      return .fails(refusal ?? [])
    }
    return .done
  }
}

extension StoreModel.Failure {
  /// What an error of the library comes down to; nil for one that the model knows nothing of.
  init?(_ error: any Error) {
    if error is HookRefusal {
      self = .hook
      return
    }
    switch error as? StoreError {
    case .deletedObject: self = .deleted
    case .foreignObject, .alreadyOwned: self = .foreign
    case .duplicateKey: self = .taken
    case .deletionDenied: self = .denied
    case .alreadyEmbedded, .embeddedInItself: self = .owned
    case .embeddedWithoutOwner: self = .ownerless
    case .primaryKeyIsFixed: self = .fixedKey
    case .notInStore: self = .notInStore
    default: return nil
    }
  }
}

/// What the histories' `beforeCommit` throws.
struct HookRefusal: Error {}
