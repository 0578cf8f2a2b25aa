/// Content of a body: an element, a view, or a custom type that makes one.
public protocol ElementContent {
  /// The element that represents this content in a body.
  var element: Element { get }
}

extension Element: ElementContent {
  /// The element itself.
  public var element: Element { self }
}

/// Builds the elements of a body from statements, conditions and loops.
///
/// Each expression is converted to `Element` as soon as it is built, so the time to compile a body
/// grows only with its number of lines.
@resultBuilder
public enum ElementBuilder {
  /// Accepts an element, a view or other content.
  public static func buildExpression(_ content: some ElementContent) -> Element { content.element }

  /// Accepts optional content.
  public static func buildExpression(_ content: (some ElementContent)?) -> Element {
    Element(.branch(content == nil ? 1 : 0, content.map { [$0.element] } ?? []))
  }

  /// Rejects a list.
  ///
  /// A ``List`` holds objects of the graph; on screen it is a ``ForEach``, in a ``ListBox`` if it
  /// scrolls.
  @available(
    *, unavailable,
    message: "a List holds objects; rows on screen are a ForEach(…), in a ListBox if they scroll"
  )
  public static func buildExpression<Row>(_ list: List<Row>) -> Element { Element(.group([])) }

  /// Rejects an expression that isn't content, such as an assignment or a plain string, with a
  /// message that says where it belongs.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message:
      "a body holds elements and views, such as Text(…), and does nothing: write in an intent, onAppear or onChange; print in `let _ = print(…)`"
  )
  public static func buildExpression<Value>(_ value: Value) -> Element { Element(.group([])) }

  /// Combines statements, in order.
  public static func buildBlock(_ elements: Element...) -> Element {
    elements.count == 1 ? elements[0] : Element(.group(elements))
  }

  /// Builds an `if` without `else`.
  public static func buildOptional(_ element: Element?) -> Element {
    Element(.branch(element == nil ? 1 : 0, element.map { [$0] } ?? []))
  }

  /// Builds the first branch of a condition.
  public static func buildEither(first element: Element) -> Element {
    Element(.branch(0, [element]))
  }

  /// Builds the second branch of a condition.
  public static func buildEither(second element: Element) -> Element {
    Element(.branch(1, [element]))
  }

  /// Builds a loop.
  ///
  /// Rows that move keep their state only in a `ForEach`.
  public static func buildArray(_ elements: [Element]) -> Element { Element(.group(elements)) }

  /// Builds content with limited availability.
  public static func buildLimitedAvailability(_ element: Element) -> Element { element }
}

extension ElementContent {
  /// Identifies this content among others in the same place.
  ///
  /// With another id it is another identity, with new state.
  ///
  /// - Parameter id: The identity, which must be unique in this place.
  /// - Returns: This content with the identity.
  public func id(_ id: some Hashable) -> Element {
    Element(.identified(AnyHashable(id), [element]))
  }

  /// Disables all elements in this content.
  ///
  /// - Parameter isDisabled: Whether the elements are disabled. False doesn't enable content that
  ///   is disabled around this one.
  /// - Returns: This content, disabled or not.
  public func disabled(_ isDisabled: Bool = true) -> Element {
    environment(\.isEnabled, !isDisabled)
  }

  /// Takes this content off the screen without ending its life.
  ///
  /// - Renderers don't get it, and its rows aren't made.
  /// - Its elements can't be found or used (``HostError/hidden(_:)``), and none has the focus.
  /// - It keeps its identity: its state, its tasks, and whether it has appeared.
  ///
  /// - Parameter isHidden: Whether the content is off the screen. False doesn't show content that
  ///   is hidden around this one.
  /// - Returns: This content, hidden or not.
  public func hidden(_ isHidden: Bool = true) -> Element {
    Element(.hidden(isHidden, [element]))
  }

  /// Sets a value of the environment for this content and everything in it.
  ///
  /// - Parameters:
  ///   - path: A key path to the environment's value.
  ///   - value: The value to set.
  /// - Returns: This content in the changed environment.
  public func environment<Value>(
    _ path: WritableKeyPath<EnvironmentValues, Value>, _ value: Value
  ) -> Element {
    Element(.environment({ $0[keyPath: path] = value }, [element]))
  }
}
