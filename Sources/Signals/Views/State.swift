/// A value that a view keeps while it is on screen: made once for its identity, dropped with it.
///
/// Reading it in a body is a dependency; writing it evaluates again whoever read it, and an equal value
/// does nothing. It works outside of a view too, where copies share what it keeps.
///
/// What an intent sets is set back if the intent fails: if it throws, or its commit is refused. So is what an effect, an
/// observer or `store.write { }` sets, and in an async intent what such a `write` sets; a ``Signal`` is not.
///
/// A subscription that is kept here ends when the view leaves the screen: a ``Cancellable``, or an optional, an array, a
/// set or a dictionary of them. Its closure may use the view.
///
/// ```swift
/// struct Search: View {
///   @State private var query = ""
///
///   var body: Element {
///     TextField("Search", text: $query, id: "search")
///   }
/// }
/// ```
@propertyWrapper
public struct State<Value>: DynamicProperty {
  private let initial: Value
  private let isEqual: (Value, Value) -> Bool
  private let unbound = UnboundBox()
  private var signal: Signal<Value>?

  /// What keeps the value of a wrapper that no host has bound.
  private final class UnboundBox { var signal: Signal<Value>? }

  /// Creates a state; every write counts as a change.
  @_disfavoredOverload
  public init(wrappedValue: Value) {
    initial = wrappedValue
    isEqual = { _, _ in false }
  }

  /// Creates a state; writes of an equal value do nothing.
  public init(wrappedValue: Value) where Value: Equatable {
    initial = wrappedValue
    isEqual = { Sameness.areSameIfEqual($0, $1) }
  }

  /// Binds the wrapper to the value kept for a view; the host calls it before each body.
  public mutating func bind(to slot: Slot) {
    signal = slot.value {
      let made = Signal(initial, name: slot.name ?? "@State", isEqual: isEqual)
      if Subscriptions.canBe(in: Value.self) { slot.scope.sweeps.append(StateSubscriptions(made)) }
      return made
    }
  }

  private var storage: Signal<Value> {
    if let signal { return signal }
    if let signal = unbound.signal { return signal }
    let made = Signal(initial, name: "@State", isEqual: isEqual)
    unbound.signal = made
    return made
  }

  /// The present value.
  public var wrappedValue: Value {
    get { ViewState.isRead ? storage.value : storage.peek() }
    nonmutating set { storage.setState(newValue) }
    nonmutating _modify {
      storage.noteState()
      yield &storage.value
    }
  }

  /// A two-way connection to the value.
  public var projectedValue: Binding<Value> { storage.stateBinding }
}

extension State: ComparableInput {
  // The slot keeps the value; what a parent passes again is only the initial one.
  func isSameInput(as other: State) -> Bool { true }
}

/// Whether reading the state of a view is a dependency.
///
/// It is none in the conditions and sort keys of `$results.where(on:)` and `results(on:)`: there `on` stands for it.
enum ViewState {
  static var isRead: Bool { unsafe !Turn.current.pointee.ignoresViewState }
}
