/// A piece of a screen, as a value that any renderer can draw: a neutral record, no toolkit's view.
///
/// Views build elements and renderers read them. What an element means is its ``ElementKind``;
/// what can be done with it is its ``ElementAction``, which a host performs.
public struct Element {
  enum Storage {
    /// A drawn element.
    case drawn(DrawnElement)
    /// Several elements without a container of their own.
    case group([Element])
    /// One of several alternatives: telling them apart keeps their states apart.
    case branch(Int, [Element])
    /// A view to be evaluated in a scope of its own.
    case view(any View)
    /// Rows to be evaluated one by one.
    case rows(RowSource)
    /// Content to be evaluated in a scope of its own, though it is of the view around it.
    case part(ElementPart)
    /// An element that is told from others by an id of the user's.
    case identified(AnyHashable, [Element])
    /// Elements in a changed environment.
    case environment((inout EnvironmentValues) -> Void, [Element])
    /// Elements with something that concerns their life.
    case life(any LifeModifier, [Element])
    /// Elements that nobody sees, or sees as ever.
    case hidden(Bool, [Element])
    /// What a key does, beside what it was bound for.
    case key(KeyBinding)
    /// A scope that stands here, once its parent was resolved.
    case scope(ScopeID)
  }

  var storage: Storage

  init(_ storage: Storage) { self.storage = storage }

  /// Creates a drawn element.
  ///
  /// The elements of Signals (``Text``, ``Button`` and so on) are made with this, and so are your own.
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

  /// The same element with a changed look; what is not drawn by itself gets something around it that has the look.
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

  /// What a renderer finds here: an element to draw, or a scope whose elements the frame has.
  public enum Content {
    /// Draw this.
    case drawn(DrawnElement)
    /// Draw the elements that the frame has for this scope.
    case scope(ScopeID)
  }

  /// What a renderer finds here; only elements of a frame have it.
  public var content: Content? {
    switch storage {
    case .drawn(let element): .drawn(element)
    case .scope(let scope): .scope(scope)
    case .group, .branch, .view, .rows, .part, .identified, .environment, .life, .hidden, .key: nil
    }
  }
}

/// Content of a view that is evaluated by itself: what it reads runs nothing around it.
final class ElementPart {
  enum Role: String {
    /// An element whose own text is evaluated by itself, around content of the body.
    case section
    case header, footer
  }

  let role: Role
  let make: () -> Element

  init(_ role: Role, _ make: @escaping () -> Element) {
    self.role = role
    self.make = make
  }
}

/// What an element is: renderers choose how it looks.
///
/// An open set: declare a kind of your own as a static constant, and draw it in your renderer.
public struct ElementKind: Hashable, Sendable, CustomStringConvertible {
  /// The name of the kind.
  public let name: String

  /// Creates a kind.
  public init(_ name: String) { self.name = name }

  /// The name of the kind.
  public var description: String { name }
}

/// What an element shows besides its text.
public enum ElementValue: Hashable, Sendable {
  /// Nothing.
  case none
  /// The contents of a text field.
  case text(String)
  /// The state of a toggle.
  case flag(Bool)
  /// A part of a whole, from 0 to 1.
  case fraction(Double)
  /// The chosen one of several options.
  case choice(ElementOption, of: [ElementOption])
}

/// An intent that may suspend, and runs where its caller does.
///
/// A closure with a capture list is none, whatever its type says: Swift 6.3 takes `{ [weak model] in … }`
/// off its caller's actor, unless it stands in code of an actor. Write `weak let model = model` before
/// the closure instead.
public typealias AsyncIntent = nonisolated(nonsending) () async throws -> Void

/// What an element does when it is used: the intents behind it.
public enum ElementAction {
  /// Nothing.
  case none
  /// Runs when the element is tapped.
  case tap(() throws -> Void)
  /// Runs when the element is tapped, and may suspend.
  case asyncTap(AsyncIntent)
  /// Takes the text typed into it.
  case text((String) throws -> Void)
  /// Takes a new state.
  case flag((Bool) throws -> Void)
  /// Takes the id of the chosen option.
  case choice((String) throws -> Void)
}

/// An element to draw, of one kind, with what it shows and holds.
public final class DrawnElement {
  /// What it is.
  public let kind: ElementKind
  /// The name by which intents and tests find it.
  public let id: String?
  /// What it says: its label.
  public let text: String
  /// What it shows besides.
  public let value: ElementValue
  /// Whether it can be used.
  public let isEnabled: Bool
  /// Whether an async intent of it is under way.
  public let isBusy: Bool
  /// What it holds, in order.
  public let children: [Element]
  /// What it does.
  public let action: ElementAction
  /// What it does when what was typed into it is complete.
  public let submit: (() throws -> Void)?
  /// What it does when rows of it are moved: from these offsets, to before the row at another.
  public let move: (([Int], Int) throws -> Void)?
  /// What is wrong with the value, to be shown beside it.
  public let errors: [String]
  /// Who gets the errors of its intents.
  let handler: ErrorHandler?
  /// Most elements have none of their own.
  private let ownLook: LookBox?

  /// How it should look, as far as a renderer can.
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

  /// Whether it has intents.
  package var isActive: Bool {
    if case .none = action { submit != nil || move != nil } else { true }
  }
}
