// The address of a host's screen: view state that the whole host shares.
//
// State: `stack`, the addresses; `host`, the host that it belongs to, nil outside of a view. Only the
// host's isolation touches it.
//
// Order of events: an intent, a link, the `escape` key or the renderer writes the stack. The bodies
// that read it run again. Intents write it as view state, so an intent that throws takes it back.

/// The addresses of a host's screens.
final class AddressState {
  let stack = Signal(AddressStack(), name: "address")

  /// Changes the stack, as view state.
  func change(_ change: (inout AddressStack) -> Void) {
    guard AsyncRunContext.maySetViewState else { return }
    var new = stack.peek()
    change(&new)
    if new != stack.peek() { stack.setState(new) }
  }

  /// The binding of `escape` to the way back, where nothing else is bound to it.
  func backBinding(in root: ScopeID) -> KeyBinding? {
    guard stack.peek().canGoBack else { return nil }
    let action = IntentAction.synchronous { [weak self] in self?.change { $0.goBack() } }
    var binding = KeyBinding(key: "escape", action: action)
    binding.scope = root
    return binding
  }
}

/// The address of the screen, which a view reads to decide what it shows, and sets to show another
/// screen.
///
/// - A host has one stack of addresses. Setting the address anywhere shows another screen above the
///   present one; ``NavigationActions/goBack()`` of the projected value returns. While there is a way
///   back, `escape` goes it, unless something else on screen is bound to `escape`.
/// - A ``Hyperlink`` made with `opening:` sets it. ``ViewHost/open(_:)`` sets it from outside: for a
///   link from elsewhere, or the address line of a browser.
/// - It is view state: an intent that throws takes it back, and an intent log has what intents don't
///   set. Outside of a view it is a separate value.
/// - With `restoredAs:`, the stack is kept in the graph, and a new host begins with it. Hosts of one
///   store that use the same key keep the stack that was changed last.
///
/// ```swift
/// struct Catalog: View {
///   @Navigation private var address
///   @ObservedResults(Package.self, sortedBy: \.name) private var packages
///
///   var body: Element {
///     if let name = address.part(after: "packages") {
///       PackageScreen(name: name)
///       Button("Back", id: "back") { $address.goBack() }
///     } else {
///       ForEach(packages) { Hyperlink($0.name, opening: "/packages/\($0.name)") }
///     }
///   }
/// }
/// ```
@propertyWrapper
public struct Navigation: DynamicProperty, BoundProperty {
  private var state = AddressState()
  private let key: String?

  /// Creates the wrapper.
  ///
  /// - Parameter key: The key under which the stack of addresses is kept in the graph; nil if it
  ///   isn't kept.
  public init(restoredAs key: String? = nil) { self.key = key }

  /// Binds the wrapper to the addresses of the host; the host calls it before each body.
  mutating func bind(to slot: ViewSlot) {
    state = slot.scope.host.addressState
    guard let key else { return }
    let reads = slot.scope.bindEnvironmentReads()
    let store = reads.value(at: \.restorationStore) ?? reads.value(at: \.store)
    slot.value { KeptAddress() }.keep(state, key, in: store)
  }

  /// The address of the present screen.
  public var wrappedValue: ScreenAddress {
    get { ViewState.read(state.stack).present }
    nonmutating set { state.change { $0.open(newValue) } }
  }

  /// The ways to other screens.
  public var projectedValue: NavigationActions { NavigationActions(state: state) }
}

extension Navigation: ComparableInput {
  // All wrappers refer to the addresses of the host.
  func isSameInput(as other: Navigation) -> Bool { key == other.key }
}

/// The ways to other screens.
public struct NavigationActions {
  fileprivate let state: AddressState

  /// The addresses that lead to the present screen; reading it in a body creates a dependency.
  public var stack: AddressStack { ViewState.read(state.stack) }

  /// Shows the screen with an address: by going back to it if it leads to the present screen,
  /// otherwise above that, as the tabs of an app do.
  ///
  /// - Parameter address: The address.
  public func show(_ address: ScreenAddress) { state.change { $0.show(address) } }

  /// Returns to the screen before the present one, if there is one.
  public func goBack() { state.change { $0.goBack() } }
}

/// The stack of a host that is kept in a store.
private final class KeptAddress {
  private var kept: RestoredState<AddressStack>?
  private var effect: Effect?

  deinit { effect?.cancel() }

  func keep(_ state: AddressState, _ key: String, in store: Store?) {
    if let kept, kept.key == key, kept.store === store { return }
    Node.withoutReader {
      effect?.cancel()
      let kept = RestoredState.of(key, initial: AddressStack(), in: store)
      self.kept = kept
      // An address that was opened before the view appeared, such as that of a link, wins.
      let (stored, present) = (kept.signal.peek(), state.stack.peek())
      if stored != present, !present.canGoBack { state.stack.setState(stored) }
      effect = detached {
        Effect(name: "the kept address \"\(key)\"") { [weak kept] in
          let stack = state.stack.value
          untracked { if let kept, kept.signal.peek() != stack { kept.signal.value = stack } }
        }
      }
    }
  }
}

extension ViewHost {
  /// The addresses that lead to the present screen; reads are tracked.
  ///
  /// See ``Navigation``.
  public var addresses: AddressStack { addressState.stack.value }

  /// Shows the screen with an address: by going back to it if it leads to the present screen,
  /// otherwise above that.
  ///
  /// - Parameter address: The address.
  public func open(_ address: ScreenAddress) { batch { addressState.change { $0.show(address) } } }

  /// The signal that an intent log records.
  package var addressSignal: Signal<AddressStack> { addressState.stack }
}

extension Frame {
  /// The title of the screen: the first text with the style ``ElementStyle/title``, or in an element
  /// with it, of the topmost cover if there is one.
  ///
  /// Titles in the rows of a ``ForEach`` don't count.
  ///
  /// - Complexity: O(elements before it).
  public var title: String? {
    var waiting = front.reversed().map { (element: $0, isTitle: false) }
    while let (element, isInTitle) = waiting.popLast() {
      switch element.content {
      case .drawn(let drawn):
        let isTitle = isInTitle || drawn.look.styles.contains(.title)
        if drawn.kind == .text, isTitle { return drawn.text }
        waiting += drawn.children.reversed().map { ($0, isTitle) }
      case .scope(let scope):
        // A title in a row isn't that of the screen.
        if rows(of: scope) == nil {
          waiting += elements(of: scope).reversed().map { ($0, isInTitle) }
        }
      case nil: break
      }
    }
    return nil
  }
}
