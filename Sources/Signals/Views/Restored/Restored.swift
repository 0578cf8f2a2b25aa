/// State of a view that is stored in the graph under a key and restored after a relaunch.
///
/// - It behaves like ``State``: reading it in a body creates a dependency, writing it re-evaluates
///   its readers, writing an equal value does nothing, and writes of an intent that fails are
///   reverted.
/// - After each change the value is stored as a ``RestoredValue``, in a separate commit that can't
///   be undone (``Origin/restored``). A store made from a snapshot of that store restores the
///   value. To be ready to be killed at any moment, take a snapshot after each commit.
/// - Views of one store that use the same key and type share one value. A value that was never
///   changed isn't stored: the view starts with its declared value.
/// - Outside of a view it is plain state, unless it is given a store.
/// - A snapshot taken by an observer of ``Store/commits`` contains both the changes of an intent
///   and the state that it left. Different keys are separate values, so keep values that must fit
///   together under one key, such as an enum of screens.
/// - A value that can't be decoded, because another version of the app stored it, is treated as
///   never changed.
///
/// The type of the value must not be private, because another process has to find it by name. A
/// private type traps. A ``RestoredValue`` of another type under the same key is a separate value.
///
/// ```swift
/// struct Search: View {
///   @Restored("search.query") var query = ""
///
///   var body: Element { TextField("Search", text: $query) }
/// }
/// ```
@propertyWrapper
public struct Restored<Value: FieldValue>: DynamicProperty, BoundProperty {
  private let initial: Value
  private let key: String
  private let store: Store?
  private let unbound = UnboundBox()
  private var bound: RestoredState<Value>?

  private final class UnboundBox { var state: RestoredState<Value>? }

  /// Creates state with a key.
  ///
  /// - Parameters:
  ///   - wrappedValue: The value to start with if none is stored.
  ///   - key: The key that the value is stored under.
  ///   - store: The store; by default ``EnvironmentValues/restorationStore`` or else
  ///     ``EnvironmentValues/store`` of the view's environment.
  public init(wrappedValue: Value, _ key: String, in store: Store? = nil) {
    initial = wrappedValue
    self.key = key
    self.store = store
  }

  /// Binds the wrapper to the value of its view; the host calls it before each body.
  mutating func bind(to slot: ViewSlot) {
    let reads = store == nil ? slot.scope.bindEnvironmentReads() : nil
    let store = store ?? reads?.value(at: \.restorationStore) ?? reads?.value(at: \.store)
    let kept = slot.value { RestoredSlot<Value>() }
    bound = kept.state(key, initial: initial, store: store)
  }

  private var state: RestoredState<Value> {
    if let bound { return bound }
    if let state = unbound.state { return state }
    let made = RestoredState.of(key, initial: initial, in: store)
    unbound.state = made
    return made
  }

  /// The current value.
  public var wrappedValue: Value {
    get { ViewState.read(state.signal) }
    nonmutating set { state.signal.setState(newValue) }
  }

  /// A binding to the value.
  public var projectedValue: Binding<Value> { state.signal.stateBinding }
}

extension Restored: ComparableInput {
  // The slot keeps the value. The parent only passes another initial value.
  func isSameInput(as other: Restored) -> Bool { key == other.key && store === other.store }
}

/// The state of one key in one store, kept in a slot until the view uses another.
private final class RestoredSlot<Value: FieldValue> {
  private var state: RestoredState<Value>?

  func state(_ key: String, initial: Value, store: Store?) -> RestoredState<Value> {
    if let state, state.key == key, state.store === store { return state }
    let made = Node.withoutReader { RestoredState.of(key, initial: initial, in: store) }
    state = made
    return made
  }
}
