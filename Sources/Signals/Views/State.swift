/// A value that a view keeps while it is on screen, created once for the view's identity and
/// released with it.
///
/// - Reading it in a body creates a dependency. Writing it re-evaluates its readers. Writing an
///   equal value does nothing.
/// - It also works outside of a view, where copies of the wrapper share the value.
/// - A write by an intent is reverted if the intent fails: if it throws, or its commit is refused.
///   The same holds for writes by an effect, an observer or `store.write { }`, and in an async
///   intent for writes within such a `write`. Writes to a ``Signal`` aren't reverted.
/// - A subscription kept here is cancelled when the view leaves the screen. It may be a
///   ``Cancellable``, or an optional, an array, a set or a dictionary of them. Its closure may use
///   the view.
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
public struct State<Value>: DynamicProperty, BoundProperty {
  private let initial: Value
  private let isEqual: (Value, Value) -> Bool
  private let unbound = UnboundBox()
  private var signal: Signal<Value>?

  /// Keeps the value of a wrapper that no host has bound.
  private final class UnboundBox { var signal: Signal<Value>? }

  /// Creates a state for which every write counts as a change.
  @_disfavoredOverload
  public init(wrappedValue: Value) {
    initial = wrappedValue
    isEqual = { _, _ in false }
  }

  /// Creates a state for which writing an equal value does nothing.
  public init(wrappedValue: Value) where Value: Equatable {
    initial = wrappedValue
    isEqual = { ValueEquality.areEqual($0, $1) }
  }

  /// Binds the wrapper to the value of its view; the host calls it before each body.
  mutating func bind(to slot: ViewSlot) {
    signal = slot.value {
      let made = Signal(initial, name: slot.name ?? "@State", isEqual: isEqual)
      if Subscriptions.canBe(in: Value.self) {
        slot.scope.perBodySlots.append(StateSubscriptions(made))
      }
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

  /// The current value.
  public var wrappedValue: Value {
    get { ViewState.isRead ? storage.value : storage.peek() }
    nonmutating set { storage.setState(newValue) }
    nonmutating _modify {
      storage.noteState()
      yield &storage.value
    }
  }

  /// A binding to the value.
  public var projectedValue: Binding<Value> { storage.stateBinding }
}

extension State: ComparableInput {
  // The slot keeps the value. The parent only passes another initial value.
  func isSameInput(as other: State) -> Bool { true }
}

/// Whether reading the state of a view creates a dependency.
///
/// It isn't in the conditions and sort keys of `$results.where(on:)` and `results(on:)`, where `on`
/// covers the reads.
enum ViewState {
  static var isRead: Bool { !ThreadContext[IgnoresViewState.self] }
}
