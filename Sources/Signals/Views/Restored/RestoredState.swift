// The value behind all the `@Restored` of one key in one store.
//
// State: `signal`, what views read and write; `agreed`, the value that the signal and the store last had in
// common; `effect`, which carries a change of either to the other; `retry`, what waits for a commit after one of its own
// was refused, and `refusals`, which then marks the effect. The store knows each state that is in use
// (`RestoredStates`, its companion), weakly.
//
// Order of events: a write marks views and this effect; effects run before hosts make their frames, so that what is
// kept is never behind what is shown. A change of the stored value is carried to the signal in the same phase. A commit
// that is refused, by the store or at its end by `beforeCommit`, leaves the store behind: `agreed` is again what it
// was, and the next commit of the store, whatever it is of, has the effect try again.

/// The value of one key in one store, and what keeps it there.
final class RestoredState<Value: FieldValue> {
  let key: String
  private(set) weak var store: Store?
  let signal: Signal<Value>
  private var agreed: Value
  private var effect: Effect?
  private var retry: (any Cancellable)?
  private let refusals = Trigger { "a refused commit" }
  /// Who else uses it, and whose value it has; see RestoredDraft.swift.
  var users: [User] = []
  weak var writer: AnyObject?

  struct User { weak var user: AnyObject? }

  /// The state of a key that is in use, or one that starts with what the store has kept.
  static func of(_ key: String, _ initial: Value, _ store: Store?) -> RestoredState {
    guard let store else { return RestoredState(key, initial, nil) }
    checkCanBeFound()
    let states = store.companion { RestoredStates() }
    return states.state(key, Value.self) { RestoredState(key, initial, store) }
  }

  private init(_ key: String, _ initial: Value, _ store: Store?) {
    self.key = key
    self.store = store
    let kept = store?.object(RestoredValue<Value>.self, primaryKey: key)?.value
    agreed = kept ?? initial
    signal = Signal(agreed, name: "@Restored(\"\(key)\")")
    guard store != nil else { return }
    // It is the views' that share this, and not the one's whose body came first.
    effect = detached {
      Effect(name: "@Restored(\"\(key)\")") { [weak self] in self?.agree() }
    }
  }

  deinit { effect?.cancel() }

  /// Carries what has changed to where it has not: a view's change before the store's.
  private func agree() {
    refusals.track()
    let mine = signal.value
    guard let store else { return }
    let object = store.object(RestoredValue<Value>.self, primaryKey: key)
    let kept = object?.value
    if !Sameness.areSame(mine, agreed) {
      let before = agreed
      do {
        try store.write(origin: .restored, undoable: false) { try keep(mine, object, in: store) }
        agreed = mine
        // The transaction is the effect's, and ends with it.
        store.transaction?.ifRolledBack { [weak self] in self?.wasRefused(before) }
      } catch {
        wasRefused(before)
        store.onRefusal(error)
      }
    } else if let kept, !Sameness.areSame(kept, agreed) {
      agreed = kept
      signal.value = kept
    }
  }

  /// The store does not have what the signal has: it is offered again with the next commit.
  private func wasRefused(_ before: Value) {
    agreed = before
    retry = store?.commits.sink { [weak self] _ in
      self?.retry = nil
      self?.refusals.mark()
    }
  }

  private func keep(_ value: Value, _ object: RestoredValue<Value>?, in store: Store) throws {
    if let object { return object.value = value }
    let made = RestoredValue<Value>()
    made.key = key
    made.value = value
    try store.add(made)
  }

  /// A class of a private type could not be named where the snapshot is read.
  private static func checkCanBeFound() {
    if ClassName(RestoredValue<Value>.self).canBeFound { return }
    trap("@Restored of \(Value.self): no other process finds a private type; make it internal")
  }
}

/// The states of a store that views use.
///
/// State: `states`, by key; those that nobody uses any more go when there are `limit` of them.
private final class RestoredStates {
  private struct Key: Hashable {
    let key: String
    let type: ObjectIdentifier
  }

  private struct WeakState { weak var state: AnyObject? }

  private var states: [Key: WeakState] = [:]
  private var limit = 64

  func state<Value>(
    _ key: String, _ type: Value.Type, _ make: () -> RestoredState<Value>
  ) -> RestoredState<Value> {
    let place = Key(key: key, type: ObjectIdentifier(type))
    if let state = states[place]?.state as? RestoredState<Value> { return state }
    let made = make()
    // Not each time: of many rows each has a state.
    if states.count >= limit {
      states = states.filter { $1.state != nil }
      limit = max(64, 2 * states.count)
    }
    states[place] = WeakState(state: made)
    return made
  }
}
