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
    /// Elements that are hidden if the flag is true.
    case hidden(Bool, [Element])
    /// Content that a host replaces before a renderer gets the frame.
    case placeholder(ElementPlaceholder)
    /// A child scope, after its parent has been resolved.
    case scope(ScopeID)
  }

  var storage: Storage

  init(_ storage: Storage) { self.storage = storage }

  /// Creates a drawn element.
  ///
  /// The elements of Signals, such as ``Text`` and ``Button``, are made with this initializer, and
  /// so are custom elements.
  ///
  /// - Parameters:
  ///   - kind: The meaning of the element.
  ///   - id: The name by which intents and tests find the element.
  ///   - text: The label, or the text.
  ///   - value: The value that is shown in addition to the text.
  ///   - action: The intent that runs when the element is used.
  ///   - submit: Runs when the user completes the text typed into the element.
  ///   - move: Called when the user moves rows, with their offsets and the offset of the row to
  ///     insert them before.
  ///   - errors: The messages to show beside the element.
  ///   - children: The elements that this one contains, in order.
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
    case .group, .branch, .hidden, .placeholder: nil
    }
  }
}

/// Content that a host replaces before a renderer gets the frame, such as a view.
class ElementPlaceholder {}
