/// A piece of a screen, as a value that any renderer can draw, independent of UI toolkits.
///
/// Views build elements, and renderers read them. The meaning of an element is its ``ElementKind``.
/// Its behavior is its ``ElementAction``, which a host performs.
public struct Element {
  enum Storage {
    /// A drawn element.
    case drawn(DrawnElement)
    /// Several elements without a container.
    case group([Element])
    /// One of several alternatives, told apart by a number so that each has separate state.
    case branch(Int, [Element])
    /// A view to be evaluated in a separate scope.
    case view(any View)
    /// Rows to be evaluated one by one.
    case rows(RowSource)
    /// Content to be evaluated in a separate scope, though it belongs to the view around it.
    case separate(SeparateContent)
    /// Elements with an identity given by `id(_:)`.
    case identified(AnyHashable, [Element])
    /// Elements in a changed environment.
    case environment((inout EnvironmentValues) -> Void, [Element])
    /// Elements with a lifecycle modifier.
    case lifecycle(any LifecycleModifier, [Element])
    /// Elements that are hidden if the flag is true.
    case hidden(Bool, [Element])
    /// A key binding, placed beside the content that it was attached to.
    case key(KeyBinding)
    /// A child scope, after its parent has been resolved.
    case scope(ScopeID)
  }

  var storage: Storage

  init(_ storage: Storage) { self.storage = storage }

  /// Creates a drawn element.
  ///
  /// The elements of Signals, such as ``Text`` and ``Button``, are made with this initializer, and
  /// so are custom elements.
  public init(
    kind: ElementKind, id: String? = nil, text: String = "", value: ElementValue = .none,
    action: ElementAction = .none, submit: (() throws -> Void)? = nil,
    move: (([Int], Int) throws -> Void)? = nil, errors: [String] = [], children: [Element] = []
  ) {
    storage = .drawn(
      DrawnElement(
        kind: kind, id: id, text: text, value: value, action: action, submit: submit, move: move,
        isEnabled: true, errors: errors, children: children))
  }

  /// Returns the element with a changed look.
  ///
  /// An element that isn't drawn is wrapped in one with the look.
  func changing(_ change: (inout ElementLook) -> Void) -> Element {
    if case .drawn(let drawn) = storage {
      var look = drawn.look
      change(&look)
      return Element(.drawn(drawn.with(look: look)))
    }
    var look = ElementLook()
    change(&look)
    return Element(kind: .modified, children: [self]).changing { $0 = look }
  }

  /// The content of an element in a frame: an element to draw, or a scope whose elements are in the
  /// frame.
  public enum Content {
    /// An element to draw.
    case drawn(DrawnElement)
    /// A scope, whose elements in the frame are drawn.
    case scope(ScopeID)
  }

  /// The content for a renderer; nil for elements that aren't part of a frame.
  public var content: Content? {
    switch storage {
    case .drawn(let element): .drawn(element)
    case .scope(let scope): .scope(scope)
    case .group, .branch, .view, .rows, .separate, .identified, .environment, .lifecycle, .hidden,
      .key:
      nil
    }
  }
}

/// Content of a view that is evaluated separately.
///
/// Its reads don't re-evaluate the body around it.
final class SeparateContent {
  enum Role: String {
    /// An element with separately evaluated text, around content of the body.
    case section
    case header, footer
  }

  let role: Role
  let make: () -> Element

  init(_ role: Role, make: @escaping () -> Element) {
    self.role = role
    self.make = make
  }
}

/// The meaning of an element.
///
/// Renderers choose how it looks. The set is open: declare a custom kind as a static constant, and
/// draw it in your renderer.
public struct ElementKind: Hashable, Sendable, CustomStringConvertible {
  /// The name of the kind.
  public let name: String

  /// Creates a kind.
  public init(_ name: String) { self.name = name }

  /// The name of the kind.
  public var description: String { name }
}

/// The value that an element shows in addition to its text.
public enum ElementValue: Hashable, Sendable {
  /// No value.
  case none
  /// The contents of a text field.
  case text(String)
  /// The state of a toggle.
  case flag(Bool)
  /// A fraction of a whole, from 0 to 1.
  case fraction(Double)
  /// The selected one of several options.
  case choice(ElementOption, of: [ElementOption])
}

/// An intent that may suspend and that runs in its caller's isolation.
///
/// Don't pass a closure with a capture list: Swift 6.3 runs `{ [weak model] in … }` off its
/// caller's actor, unless the closure is in code of an actor. Write `weak let model = model` before
/// the closure instead.
public typealias AsyncIntent = nonisolated(nonsending) () async throws -> Void

/// The intent that an element runs when it is used.
public enum ElementAction {
  /// No intent.
  case none
  /// Runs when the element is tapped.
  case tap(() throws -> Void)
  /// Runs when the element is tapped; may suspend.
  case asyncTap(AsyncIntent)
  /// Runs with the text typed into the element.
  case text((String) throws -> Void)
  /// Runs with the new state.
  case flag((Bool) throws -> Void)
  /// Runs with the id of the chosen option.
  case choice((String) throws -> Void)
}

/// An element to draw, with its kind, content and intents.
public final class DrawnElement {
  /// The kind of the element.
  public let kind: ElementKind
  /// The name by which intents and tests find it.
  public let id: String?
  /// The element's label or text.
  public let text: String
  /// The value shown in addition to the text.
  public let value: ElementValue
  /// Whether the element can be used.
  public let isEnabled: Bool
  /// Whether an async intent of the element is under way.
  public let isBusy: Bool
  /// The elements that this one contains, in order.
  public let children: [Element]
  /// The intent that runs when the element is used.
  public let action: ElementAction
  /// Runs when the user completes the text typed into the element.
  public let submit: (() throws -> Void)?
  /// Called when the user moves rows, with their offsets and the offset of the row to insert them
  /// before.
  public let move: (([Int], Int) throws -> Void)?
  /// The error messages for the value, to be shown beside it.
  public let errors: [String]
  /// Handles the errors of the element's intents.
  let handler: ErrorHandler?
  /// Nil for most elements, which have the default look.
  private let ownLook: LookBox?

  /// The requested appearance, which a renderer follows as far as it can.
  public var look: ElementLook { ownLook?.look ?? ElementLook() }

  func hasSameLook(as other: DrawnElement) -> Bool {
    ownLook === other.ownLook || look == other.look
  }

  init(
    kind: ElementKind, id: String?, text: String, value: ElementValue, action: ElementAction,
    submit: (() throws -> Void)?, move: (([Int], Int) throws -> Void)?,
    isEnabled: Bool, isBusy: Bool = false, handler: ErrorHandler? = nil, errors: [String],
    children: [Element], ownLook: LookBox? = nil
  ) {
    self.kind = kind
    self.id = id
    self.text = text
    self.value = value
    self.action = action
    self.isEnabled = isEnabled
    self.isBusy = isBusy
    self.submit = submit
    self.move = move
    self.handler = handler
    self.errors = errors
    self.children = children
    self.ownLook = ownLook
  }

  func with(isEnabled: Bool, handler: ErrorHandler?, children: [Element]) -> DrawnElement {
    DrawnElement(
      kind: kind, id: id, text: text, value: value, action: action, submit: submit, move: move,
      isEnabled: isEnabled, handler: handler, errors: errors, children: children,
      ownLook: ownLook)
  }

  func with(isBusy: Bool, children: [Element]) -> DrawnElement {
    DrawnElement(
      kind: kind, id: id, text: text, value: value, action: action, submit: submit, move: move,
      isEnabled: isEnabled, isBusy: isBusy, handler: handler, errors: errors, children: children,
      ownLook: ownLook)
  }

  func with(look: ElementLook) -> DrawnElement {
    DrawnElement(
      kind: kind, id: id, text: text, value: value, action: action, submit: submit, move: move,
      isEnabled: isEnabled, handler: handler, errors: errors, children: children,
      ownLook: LookBox(look))
  }

  /// Whether the element has intents.
  package var isActive: Bool {
    if case .none = action { submit != nil || move != nil } else { true }
  }
}
