/// A value that a view keeps while it is on screen, created once for the view's identity and
/// released with it.
///
/// - Reading it in a body creates a dependency. Writing it re-evaluates its readers. Writing an
///   equal value does nothing.
/// - It also works outside of a view, where copies of the wrapper share the value.
/// - A write by an intent is reverted if the intent fails: if it throws, or its commit is refused.
///   The same holds for writes by an effect, an observer or `store.write { }`, and in an async
///   intent for writes within such a `write`. Writes to a ``Signal`` aren't reverted.
/// - A write by a cancelled run of an async intent or of a view's task is dropped.
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

  /// Creates a state for which every write counts as a change, unless it is an equal `Result`, as in
  /// a ``Computed``.
  @_disfavoredOverload
  public init(wrappedValue: Value) {
    initial = wrappedValue
    isEqual = ValueEquality.ofOutcomes(Value.self)
  }

  /// Creates a state for which writing an equal value does nothing.
  public init(wrappedValue: Value) where Value: Equatable {
    initial = wrappedValue
    isEqual = { ValueEquality.areEqual($0, $1) }
  }

  /// Binds the wrapper to the value of its view; the host calls it before each body.
  mutating func bind(to slot: ViewSlot) {
    var isNew = false
    let kept = slot.value {
      isNew = true
      let made = Signal(initial, name: slot.name ?? "@State", isEqual: isEqual)
      if Subscriptions.canBe(in: Value.self) {
        slot.scope.perBodySlots.append(StateSubscriptions(made))
      }
      return made
    }
    signal = kept
    #if DEBUG
      if !isNew { KeptComputed.check(kept, against: initial, named: slot.name ?? "@State") }
    #endif
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
    get { ViewState.read(storage) }
    nonmutating set { storage.setState(newValue) }
    nonmutating _modify {
      if AsyncRunContext.maySetViewState {
        ViewStateReads.willWrite(storage)
        storage.noteState()
        yield &storage.value
      } else {
        var dropped = storage.peek()
        yield &dropped
      }
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
  private static var isRead: Bool { !ThreadContext[IgnoresViewState.self] }

  /// Reads a state.
  static func read<Value>(_ signal: Signal<Value>) -> Value {
    if isRead { return signal.value }
    ViewStateReads.note(signal)
    return signal.peek()
  }
}
