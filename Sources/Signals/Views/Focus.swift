// State of a host's focus: `id`, the id of the element that gets the user's input, written by user
// code through `@Focus` and `ViewHost.focus`; `seen`, the scope in which that element was last
// found, so that a frame needn't search the screen for it; `seenDepth`, the depth of the topmost cover
// then, -1 for none; `lost`, the id of an element that is gone while several others have it; `covered`,
// the ids that had the focus when a cover was shown over them, with their scopes and the depth of the
// cover; `check`, which checks a written `id`; `host`, nil outside of a view. Only the host's isolation
// touches this state.
//
// Order of events: an `id` is written. Effects, observers and hosts run. Then the `id` is cleared
// if no usable element has it, unless the frame that it is meant for hasn't been made yet. Each
// frame states where the focus is. After the renderer has asked for the frame's rows, the `id` is
// checked again, and cleared if no usable element has it. If the focus is elsewhere by then,
// another frame states that. When a cover goes, the focus returns to the element that had it before.

/// The id of a host's element that gets the user's input.
final class FocusState {
  let id = Signal<String?>(nil, name: "focus")
  private var seen: (id: String, scope: ScopeID)?
  private var seenDepth = -1
  private var lost: String?
  private var covered: [(id: String, scope: ScopeID, depth: Int)] = []
  private weak var host: ViewHost?
  private var check: PhaseObserver?

  /// The scope of the element that has the focus.
  var seenScope: ScopeID? { id.peek() == seen?.id ? seen?.scope : nil }

  /// The place of the focus, if its element has been found.
  var location: ElementLocation? {
    guard let id = id.peek(), let scope = seenScope else { return nil }
    return ElementLocation(scope: scope, name: PathText.escape(id))
  }

  /// Whether the focused element hasn't been found yet.
  var isUnsettled: Bool { id.peek() != nil && seenScope == nil }

  /// Makes this the focus of a host.
  func attach(to host: ViewHost) {
    self.host = host
    let check = PhaseObserver(.afterwards, name: "the focus of a host")
    check.perform = { [unowned self] in
      if let host = self.host, host.isUpToDate { settle(on: host) }
    }
    self.check = check
  }

  /// Moves the focus.
  ///
  /// A caller that knows the scope of the element saves the search for it.
  func move(to new: String?, in scope: ScopeID? = nil) {
    guard AsyncRunContext.maySetViewState else { return }
    let isElsewhere = scope != nil && scope != seenScope
    lost = nil
    if let new, let scope { seen = (new, scope) }
    guard let host, id.peek() != new else {
      // Another element of the same id.
      if isElsewhere { batch { check?.enqueue() } }
      return id.setState(new)
    }
    let observed = host.willPerform(.focus(on: new), kind: .focus)
    set(new)
    host.didPerform(observed, throwing: nil)
  }

  private func set(_ new: String?) {
    batch {
      id.setState(new)
      check?.enqueue()
    }
  }

  /// Clears the focus if no usable element has its id, and requests a frame if it has moved.
  func settle(on host: ViewHost) {
    find(on: host)
    if isUnsettled { id.value = nil }
    if !covered.isEmpty { uncover(on: host) }
    host.showFocus()
  }

  /// Returns the focus to the element that had it before a cover that has gone.
  private func uncover(on host: ViewHost) {
    let depth = host.frame.cover?.depth ?? -1
    while let last = covered.last, last.depth > depth {
      covered.removeLast()
      if id.peek() != nil { continue }
      id.value = last.id
      seen = (last.id, last.scope)
      find(on: host)
      if isUnsettled { id.value = nil }
    }
  }

  /// Finds the scope of the focused element among the usable elements.
  ///
  /// An element that was found before and has moved is found again if it is the only one with its id.
  ///
  /// - Complexity: O(elements of the scope where it was last found), and O(elements on screen) if
  ///   it isn't there.
  func find(on host: ViewHost) {
    guard let id = id.peek() else { return }
    let cover = host.frame.cover
    let depth = cover?.depth ?? -1
    if let seen, seen.id == id {
      // A row that the renderer didn't ask for is out of sight but still exists.
      let isOutOfSight =
        host.scopes[seen.scope]?.isEvaluated == false && host.isUsable(seen.scope, below: cover)
      if isOutOfSight || host.canFocus(id, in: seen.scope, below: cover) {
        seenDepth = depth
        return
      }
    }
    let others = Array(
      host.scopes.keys.lazy.filter { host.canFocus(id, in: $0, below: cover) }.prefix(2))
    // Of several other elements with the id, none is the one that had the focus.
    let isLost = (seen?.id ?? lost) == id && others.count > 1
    lost = isLost ? id : nil
    let found = isLost ? nil : others.first
    if found == nil, let seen, seen.id == id, depth > seenDepth {
      covered.append((id, seen.scope, depth))
    }
    seen = found.map { (id, $0) }
    seenDepth = depth
  }
}

/// The id of the host's focused element, which a view can read and set.
///
/// - A host has one focus, so setting it anywhere moves it. Reading it in a body creates a
///   dependency.
/// - It may name an element that appears in the next frame, such as the first field of a form. It
///   becomes nil when no usable element has that id, then or later.
/// - Outside of a view it is a separate value.
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
public struct Focus: DynamicProperty, BoundProperty {
  private var state = FocusState()

  /// Creates the wrapper.
  public init() {}

  /// Binds the wrapper to the focus of the host; the host calls it before each body.
  mutating func bind(to slot: ViewSlot) { state = slot.scope.host.focusState }

  /// The id of the focused element.
  public var wrappedValue: String? {
    get { ViewState.read(state.id) }
    nonmutating set { state.move(to: newValue) }
  }

  /// A binding to the focus.
  public var projectedValue: Binding<String?> {
    let state = state
    return Binding(
      origin: BindingOrigin(state), get: { state.id.value }, set: { state.move(to: $0) })
  }
}

extension Focus: ComparableInput {
  // All wrappers refer to the one focus of the host.
  func isSameInput(as other: Focus) -> Bool { true }
}

extension ViewHost {
  /// The id of the focused element.
  ///
  /// Reads are tracked. A renderer shows the focus and sends the user's input to the element. An id
  /// that no usable element has becomes nil as soon as the consequences of writing it have run, or
  /// in the next frame if a clock delays that frame.
  public var focus: String? {
    get { focusState.id.value }
    set { focusState.move(to: newValue) }
  }

  /// The ids of the elements that can have the focus, in the order of the frame.
  ///
  /// These are the elements that have intents and can be used. Rows are included only if they have
  /// been evaluated. Each id is contained once, at its first element, because the focus can't tell
  /// elements with the same id apart.
  ///
  /// - Complexity: O(elements), plus O(rows) of each ``ForEach``.
  public var focusOrder: [String] {
    var order: [String] = []
    var seen: Set<String> = []
    frame.forEachEvaluated(inOrder: true) { element, _ in
      guard let id = element.id, element.isActive, element.isEnabled else { return }
      if seen.insert(id).inserted { order.append(id) }
    }
    return order
  }

  /// Moves the focus to the next element, and from the last element to the first.
  ///
  /// - Returns: The id of the focused element; nil if no element can have the focus.
  /// - Complexity: O(elements)
  @discardableResult
  public func focusNext() -> String? { moveFocus(by: 1) }

  /// Moves the focus to the previous element, and from the first element to the last.
  ///
  /// - Returns: The id of the focused element; nil if no element can have the focus.
  /// - Complexity: O(elements)
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

  /// Moves the focus to the element with an id in a scope.
  ///
  /// Unlike ``focus``, it tells several elements with the same id apart.
  ///
  /// - Complexity: O(elements of the scope), while setting ``focus`` is O(scopes).
  package func moveFocus(to id: String, in scope: ScopeID) { focusState.move(to: id, in: scope) }

  /// Whether a scope directly contains an element with the id that can have the focus.
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
