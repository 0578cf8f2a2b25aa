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

  /// Returns a copy with the given properties replaced; a handler may be replaced by none.
  func with(
    isEnabled: Bool? = nil, isBusy: Bool? = nil, handler: ErrorHandler?? = nil,
    children: [Element]? = nil, look: ElementLook? = nil
  ) -> DrawnElement {
    DrawnElement(
      kind: kind, id: id, text: text, value: value, action: action, submit: submit, move: move,
      isEnabled: isEnabled ?? self.isEnabled, isBusy: isBusy ?? self.isBusy,
      handler: handler ?? self.handler, errors: errors, children: children ?? self.children,
      ownLook: look.map { LookBox($0) } ?? ownLook)
  }

  /// Whether the element has intents.
  package var isActive: Bool {
    if case .none = action { submit != nil || move != nil } else { true }
  }
}
