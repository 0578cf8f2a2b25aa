/// State of a view with a key, kept in the graph and back after a relaunch.
///
/// - It is what ``State`` is: reading it in a body is a dependency, writing it evaluates again whoever read
///   it, an equal value does nothing, and an intent that fails sets it back.
/// - After each change the value is kept as a ``RestoredValue`` of the store, in a commit of its own that no undo
///   takes back (``Origin/restored``). A store that was made of a snapshot of that one gives it back: to be ready for
///   being killed at any moment, snapshot the store after each commit.
/// - Views of one store that use one key, of one type, share one value. A value that was never changed is
///   not kept: the view starts with what it declares.
/// - Outside of a view it is plain state, unless it is given a store.
/// - A snapshot that an observer of ``Store/commits`` takes has both what an intent did and the state that it left.
///   Several keys are several values: keep in one what must fit together, as an enum of screens.
/// - A value that can't be decoded any more, because another version of the app kept it, is as one that was never
///   changed: the view starts with what it declares.
///
/// The type of the value must be one that another process can find by its name: not a private one. That
/// is a trap. A ``RestoredValue`` of another type under the same key is another value.
///
/// ```swift
/// struct Search: View {
///   @Restored("search.query") var query = ""
///
///   var body: Element { TextField("Search", text: $query) }
/// }
/// ```
@propertyWrapper
public struct Restored<Value: FieldValue>: DynamicProperty {
  private let initial: Value
  private let key: String
  private let store: Store?
  private let unbound = UnboundBox()
  private var bound: RestoredState<Value>?

  private final class UnboundBox { var state: RestoredState<Value>? }

  /// Creates state with a key; `store` is the one around the view unless it is given.
  public init(wrappedValue: Value, _ key: String, in store: Store? = nil) {
    initial = wrappedValue
    self.key = key
    self.store = store
  }

  /// Binds the wrapper to the value kept for a view; the host calls it before each body.
  public mutating func bind(to slot: Slot) {
    let store = store ?? slot.scope.bindSurroundings().value(at: \.store)
    let kept = slot.value { KeptState<Value>() }
    bound = kept.state(key, initial, store)
  }

  private var state: RestoredState<Value> {
    if let bound { return bound }
    if let state = unbound.state { return state }
    let made = RestoredState.of(key, initial, store)
    unbound.state = made
    return made
  }

  /// The present value.
  public var wrappedValue: Value {
    get { ViewState.isRead ? state.signal.value : state.signal.peek() }
    nonmutating set { state.signal.setState(newValue) }
  }

  /// A two-way connection to the value.
  public var projectedValue: Binding<Value> { state.signal.stateBinding }
}

extension Restored: ComparableInput {
  // The slot keeps the value; what a parent passes again is only the initial one.
  func isSameInput(as other: Restored) -> Bool { key == other.key && store === other.store }
}

/// What a slot keeps: the state of one key in one store, until the view has another.
private final class KeptState<Value: FieldValue> {
  private var state: RestoredState<Value>?

  func state(_ key: String, _ initial: Value, _ store: Store?) -> RestoredState<Value> {
    if let state, state.key == key, state.store === store { return state }
    let made = Node.withoutReader { RestoredState.of(key, initial, store) }
    state = made
    return made
  }
}
