// The value shared by all `@Restored` of one key in one store.
//
// State: `signal`, which views read and write; `agreed`, the last value that the signal and the
// store had in common; `effect`, which carries a change of either to the other; `retry`, the
// subscription that waits for a commit after the state's own commit was refused; `refusals`, which
// then marks the effect stale; `users` and `writer`, see RestoredDraft.swift. The store has weak
// references to the states in use (`RestoredStates`, its companion). Only the store's isolation
// touches this state.
//
// Order of events: a write marks views and this effect stale. Effects run before hosts make their
// frames, so the stored value is never behind the screen. A change of the stored value is carried
// to the signal in the same phase. If the commit is refused, by the store or at its end by
// `beforeCommit`, the store is behind: `agreed` gets its previous value, and after the next commit
// of the store, whatever it changes, the effect tries again.

/// The value of one key in one store, and the effect that stores it.
final class RestoredState<Value: FieldValue> {
  let key: String
  private(set) weak var store: Store?
  let signal: Signal<Value>
  private var agreed: Value
  private var effect: Effect?
  private var retry: (any Cancellable)?
  private let refusals = SettlingSource<Void> { "a refused commit" }
  /// The drafts that use the state, and the one whose record it has; see RestoredDraft.swift.
  var users: [User] = []
  weak var writer: AnyObject?

  struct User { weak var user: AnyObject? }

  /// The state of a key that is in use, or a new one that starts with the stored value.
  static func of(_ key: String, initial: Value, in store: Store?) -> RestoredState {
    guard let store else { return RestoredState(key, initial: initial, in: nil) }
    checkCanBeFound()
    let states = store.companion { RestoredStates() }
    return states.state(key, of: Value.self) { RestoredState(key, initial: initial, in: store) }
  }

  private init(_ key: String, initial: Value, in store: Store?) {
    self.key = key
    self.store = store
    let kept = store?.object(RestoredValue<Value>.self, primaryKey: key)?.value
    agreed = kept ?? initial
    signal = Signal(agreed, name: "@Restored(\"\(key)\")")
    guard store != nil else { return }
    // Detached: the effect belongs to all views that share the state, not to the body that made it.
    effect = detached {
      Effect(name: "@Restored(\"\(key)\")") { [weak self] in self?.agree() }
    }
  }

  deinit { effect?.cancel() }

  /// Carries a change of the signal to the store, or else one of the store to the signal.
  private func agree() {
    refusals.track()
    let mine = signal.value
    guard let store else { return }
    let object = store.object(RestoredValue<Value>.self, primaryKey: key)
    let kept = object?.value
    if !ValueEquality.areEqual(mine, agreed) {
      let before = agreed
      do {
        try store.write(origin: .restored, undoable: false) {
          try keep(mine, as: object, in: store)
        }
        agreed = mine
        // The transaction is the effect's. It ends with the effect and may be rolled back then.
        store.transaction?.ifRolledBack { [weak self] in self?.wasRefused(before) }
      } catch {
        wasRefused(before)
        store.onRefusal(error)
      }
    } else if let kept, !ValueEquality.areEqual(kept, agreed) {
      agreed = kept
      signal.value = kept
    }
  }

  /// Notes that the store doesn't have the signal's value, which is offered again after the next
  /// commit.
  private func wasRefused(_ before: Value) {
    agreed = before
    retry = store?.commits.sink { [weak self] _ in
      self?.retry = nil
      self?.refusals.mark()
    }
  }

  private func keep(_ value: Value, as object: RestoredValue<Value>?, in store: Store) throws {
    if let object { return object.value = value }
    let made = RestoredValue<Value>()
    made.key = key
    made.value = value
    try store.add(made)
  }

  /// Traps if the value's type is private, because the snapshot's reader can't find such a class by
  /// name.
  private static func checkCanBeFound() {
    if ClassName(RestoredValue<Value>.self).canBeFound { return }
    trap("@Restored of \(Value.self): no other process finds a private type; make it internal")
  }
}

/// The states of a store that views use.
///
/// State: `states`, by key. Released states are removed when there are `limit` entries.
private final class RestoredStates {
  private struct Key: Hashable {
    let key: String
    let type: ObjectIdentifier
  }

  private struct WeakState { weak var state: AnyObject? }

  private var states: [Key: WeakState] = [:]
  private var limit = 64

  func state<Value>(
    _ key: String, of type: Value.Type, make: () -> RestoredState<Value>
  ) -> RestoredState<Value> {
    let place = Key(key: key, type: ObjectIdentifier(type))
    if let state = states[place]?.state as? RestoredState<Value> { return state }
    let made = make()
    // Not at every insertion, because each of many rows may have a state.
    if states.count >= limit {
      states = states.filter { $1.state != nil }
      limit = max(64, 2 * states.count)
    }
    states[place] = WeakState(state: made)
    return made
  }
}
