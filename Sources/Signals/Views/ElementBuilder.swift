/// Something that a body can hold: an element, a view, or a type of yours that makes one.
public protocol ElementContent {
  /// What stands in the body.
  var element: Element { get }
}

extension Element: ElementContent {
  /// The element itself.
  public var element: Element { self }
}

/// Builds the elements of a body from statements, conditions and loops.
///
/// Every expression has one type, `Element`, as soon as it is built: a long body costs the compiler no
/// more than its lines.
@resultBuilder
public enum ElementBuilder {
  /// Takes an element, a view or other content.
  public static func buildExpression(_ content: some ElementContent) -> Element { content.element }

  /// Takes content that may be missing.
  public static func buildExpression(_ content: (some ElementContent)?) -> Element {
    Element(.branch(content == nil ? 1 : 0, content.map { [$0.element] } ?? []))
  }

  /// A list is what it is in the graph; on screen it is a ``ForEach``, in a ``ListBox`` if it scrolls.
  @available(
    *, unavailable,
    message: "a List holds objects; rows on screen are a ForEach(…), in a ListBox if they scroll"
  )
  public static func buildExpression<Row>(_ list: List<Row>) -> Element { Element(.group([])) }

  /// Refuses what is no content, such as an assignment or a text as it is, and says where that belongs.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message:
      "a body holds elements and views, such as Text(…), and does nothing: write in an intent, onAppear or onChange; print in `let _ = print(…)`"
  )
  public static func buildExpression<Value>(_ value: Value) -> Element { Element(.group([])) }

  /// Holds statements in order.
  public static func buildBlock(_ elements: Element...) -> Element {
    elements.count == 1 ? elements[0] : Element(.group(elements))
  }

  /// Holds an `if` without `else`.
  public static func buildOptional(_ element: Element?) -> Element {
    Element(.branch(element == nil ? 1 : 0, element.map { [$0] } ?? []))
  }

  /// Holds the first branch of a condition.
  public static func buildEither(first element: Element) -> Element {
    Element(.branch(0, [element]))
  }

  /// Holds the second branch of a condition.
  public static func buildEither(second element: Element) -> Element {
    Element(.branch(1, [element]))
  }

  /// Holds a loop; `ForEach` keeps the states of rows apart where they move.
  public static func buildArray(_ elements: [Element]) -> Element { Element(.group(elements)) }

  /// Holds what is only available somewhere.
  public static func buildLimitedAvailability(_ element: Element) -> Element { element }
}

extension ElementContent {
  /// Tells this content from others in the same place: another id is another identity, with new state.
  public func id(_ id: some Hashable) -> Element {
    Element(.identified(AnyHashable(id), [element]))
  }

  /// Whether what this content holds can be used.
  public func disabled(_ isDisabled: Bool = true) -> Element {
    environment(\.isEnabled, !isDisabled)
  }

  /// Takes this content off the screen without ending its life.
  ///
  /// Renderers don't get it, nothing in it can be found or used (``HostError/hidden(_:)``), and rows in it are not
  /// made; nothing in it has the focus. It keeps its identity: state, tasks, and whether it has appeared.
  public func hidden(_ isHidden: Bool = true) -> Element {
    Element(.hidden(isHidden, [element]))
  }

  /// Sets a value of the environment for this content and all below it.
  public func environment<Value>(
    _ path: WritableKeyPath<EnvironmentValues, Value>, _ value: Value
  ) -> Element {
    Element(.environment({ $0[keyPath: path] = value }, [element]))
  }
}
