// State of a host's focus: `id`, the element that the user's input goes to, written by the user's code through
// `@Focus` and `ViewHost.focus`; `seen`, in which scope that element was last, so that a frame need not search
// the screen for it; `check`, what looks at an `id` that was written; `host`, nil for a value of its own.
//
// Order of events: an `id` is written; effects, observers and hosts have their turn; then it is cleared if it leads
// nowhere, unless the frame that it is for is not made yet. Each frame says where it leads, and clears it likewise when
// the renderer has asked for its rows; if it leads elsewhere then, another frame says so.

/// Which element of a host gets what the user types.
final class FocusState {
  let id = Signal<String?>(nil, name: "focus")
  private var seen: (id: String, scope: ScopeID)?
  private weak var host: ViewHost?
  private var check: QueuedWatcher?

  /// The scope of the element that has the focus.
  var seenScope: ScopeID? { id.peek() == seen?.id ? seen?.scope : nil }

  /// Where the focus is, as far as that is known.
  var place: NamedPlace? {
    guard let id = id.peek(), let scope = seenScope else { return nil }
    return NamedPlace(scope: scope, name: PathText.escape(id))
  }

  /// Whether it is not known yet where the focus is.
  var isUnsettled: Bool { id.peek() != nil && seenScope == nil }

  /// Makes it the focus of a host.
  func attach(to host: ViewHost) {
    self.host = host
    let check = QueuedWatcher(.afterwards, name: "the focus of a host")
    check.perform = { [unowned self] in
      if let host = self.host, host.isUpToDate { settle(on: host) }
    }
    self.check = check
  }

  /// Moves the focus: what a log has as an entry, unless an intent does it.
  ///
  /// Who knows the scope that the element stands in spares the search for it.
  func move(to new: String?, in scope: ScopeID? = nil) {
    if let new, let scope { seen = (new, scope) }
    guard let host, id.peek() != new else { return id.setState(new) }
    guard let recorder = host.recorder else { return set(new) }
    recorder.record(IntentCall(.focus, "focus", element: new)) { set(new) }
  }

  private func set(_ new: String?) {
    batch {
      id.setState(new)
      check?.enqueue()
    }
  }

  /// Clears the focus if its element can't be used any more, and asks for a frame if it has moved.
  func settle(on host: ViewHost) {
    find(on: host)
    if isUnsettled { id.value = nil }
    host.showFocus()
  }

  /// Looks where the element that has the focus stands, of those that can be used.
  ///
  /// O(elements of the scope that has it), and of the screen if it is not there any more.
  func find(on host: ViewHost) {
    guard let id = id.peek() else { return }
    let cover = host.frame.cover
    if let seen, seen.id == id {
      // A row that the renderer did not ask for is out of sight, and still there.
      if host.scopes[seen.scope]?.isEvaluated == false, host.stands(seen.scope, below: cover) {
        return
      }
      if host.canFocus(id, in: seen.scope, below: cover) { return }
    }
    seen = host.scopes.keys.first { host.canFocus(id, in: $0, below: cover) }.map { (id, $0) }
  }
}

/// The id of the element that has the focus of the host, to be read and set by a view.
///
/// - It is one for each host: setting it anywhere moves the focus. Reading it in a body is a dependency.
/// - It may name an element that appears in the frame that follows, as a form does with its first field. When no element
///   of that id can be used, then or later, it becomes nil.
/// - Outside of a view it is a value of its own.
///
/// ```swift
/// struct Search: View {
///   @Focus private var focus
///   @State private var query = ""
///
///   var body: Element {
///     TextField("Search", text: $query, id: "search")
///     Button("Find", id: "find") { focus = "search" }
///   }
/// }
/// ```
@propertyWrapper
public struct Focus: DynamicProperty {
  private var state = FocusState()

  /// Creates the wrapper.
  public init() {}

  /// Binds the wrapper to the focus of the host; the host calls it before each body.
  public mutating func bind(to slot: Slot) { state = slot.scope.host.focusState }

  /// The id of the element that has the focus.
  public var wrappedValue: String? {
    get { ViewState.isRead ? state.id.value : state.id.peek() }
    nonmutating set { state.move(to: newValue) }
  }

  /// A two-way connection to the focus.
  public var projectedValue: Binding<String?> {
    let state = state
    return Binding(
      origin: BindingOrigin(state), get: { state.id.value }, set: { state.move(to: $0) })
  }
}

extension Focus: ComparableInput {
  // There is one focus, whatever the wrapper.
  func isSameInput(as other: Focus) -> Bool { true }
}

extension ViewHost {
  /// The id of the element that has the focus; a read is a dependency.
  ///
  /// A renderer shows it there, and sends it what the user types. An id that no element has that can be used becomes
  /// nil as soon as what follows from writing it has run, or in the next frame where a clock has still to allow that.
  public var focus: String? {
    get { focusState.id.value }
    set { focusState.move(to: newValue) }
  }

  /// The ids of the elements that can have the focus, in the order of the frame: those that have intents and can be
  /// used, of rows only those that were evaluated.
  ///
  /// Each id is there once, where it stands first: the focus is an id, and can't tell elements apart that have the
  /// same. O(elements), and of a ``ForEach`` O(rows).
  public var focusOrder: [String] {
    var order: [String] = []
    var seen: Set<String> = []
    frame.forEachEvaluated(inOrder: true) { element, _ in
      guard let id = element.id, element.isActive, element.isEnabled else { return }
      if seen.insert(id).inserted { order.append(id) }
    }
    return order
  }

  /// Moves the focus to the next element, from the last to the first; the answer is its id.
  ///
  /// O(elements).
  @discardableResult
  public func focusNext() -> String? { moveFocus(by: 1) }

  /// Moves the focus to the element before, from the first to the last; the answer is its id.
  ///
  /// O(elements).
  @discardableResult
  public func focusPrevious() -> String? { moveFocus(by: -1) }

  private func moveFocus(by step: Int) -> String? {
    let order = focusOrder
    guard !order.isEmpty else { return nil }
    let present = focusState.id.peek().flatMap { order.firstIndex(of: $0) }
    let first = step > 0 ? 0 : order.count - 1
    let next = present.map { ($0 + step + order.count) % order.count } ?? first
    focusState.move(to: order[next])
    return order[next]
  }

  /// Moves the focus to an element of a scope, as ``focus`` does; of several with this id to that one.
  ///
  /// O(elements of the scope), where setting ``focus`` is O(scopes).
  package func moveFocus(to id: String, in scope: ScopeID) { focusState.move(to: id, in: scope) }

  /// Whether an element stands in a scope, not in one below it, and can have the focus.
  fileprivate func canFocus(_ id: String, in scope: ScopeID, below cover: Cover?) -> Bool {
    var waiting = usableElements(of: scope, below: cover)
    while let element = waiting.popLast() {
      guard case .drawn(let drawn)? = element.content else { continue }
      if drawn.id == id { return drawn.isActive && drawn.isEnabled }
      waiting += drawn.children
    }
    return false
  }
}
