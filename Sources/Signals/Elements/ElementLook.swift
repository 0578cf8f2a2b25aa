/// The requested appearance of an element, which a renderer follows as far as it can.
///
/// It is set by ``ElementContent/style(_:)``, ``ElementContent/tint(_:)``,
/// ``ElementContent/frame(minWidth:maxWidth:minHeight:maxHeight:flex:)`` and
/// ``ElementContent/aligned(_:)``. A ``TextRenderer`` ignores it.
public struct ElementLook: Hashable, Sendable {
  /// The roles of the element in its context, the outermost first.
  public var styles: [ElementStyle] = []
  /// The color of the element, which takes precedence over those of its styles.
  public var tint: ElementColor?
  /// The colors of the options of a ``Picker``, in their order.
  ///
  /// Options beyond the end have no color.
  public var optionTints: [ElementColor?] = []
  /// The minimum width, in the renderer's units, such as the cells of a terminal.
  public var minWidth: Int?
  /// The maximum width.
  public var maxWidth: Int?
  /// The minimum height.
  public var minHeight: Int?
  /// The maximum height.
  public var maxHeight: Int?
  /// The element's share of the space left in a row, relative to the shares of the other elements;
  /// 0 for no share.
  public var flex: Double?
  /// The alignment of the element within its space.
  public var alignment: ElementAlignment?
  /// For a column title, the direction in which the rows are sorted by the column.
  public var order: SortDirection?

  /// Creates a look without any request.
  public init() {}
}

/// The look of an element that differs from the default.
final class LookBox {
  let look: ElementLook

  init(_ look: ElementLook) { self.look = look }
}

/// The role of an element in its context.
///
/// Renderers choose its appearance. The set is open, as ``ElementKind`` is: declare a custom style
/// as a static constant, and draw it in your renderer.
public struct ElementStyle: Hashable, Sendable, CustomStringConvertible {
  /// The name of the style.
  public let name: String

  /// Creates a style.
  public init(_ name: String) { self.name = name }

  /// The name of the style.
  public var description: String { name }

  /// More important than the content around it.
  public static let emphasized = ElementStyle("emphasized")
  /// Less important than the content around it.
  public static let secondary = ElementStyle("secondary")
  /// The title of a screen or of a part of it.
  public static let title = ElementStyle("title")
  /// Content in the app's accent color.
  public static let accent = ElementStyle("accent")
  /// A positive outcome.
  public static let positive = ElementStyle("positive")
  /// Content that needs attention.
  public static let warning = ElementStyle("warning")
  /// A negative outcome, or an action that can't be undone.
  public static let negative = ElementStyle("negative")
  /// A line about the whole screen, as at its foot, such as "3 books deleted".
  ///
  /// It announces its changes: on a page, a screen reader reads the new text aloud.
  public static let status = ElementStyle("status")
}

/// A color from the app's data, with components from 0 to 1.
///
/// Use an ``ElementStyle`` for the role of an element, whose color the renderer chooses. Use a
/// color if it is data itself, such as the color that the user has given a label.
public struct ElementColor: Hashable, Sendable {
  /// The red component.
  public var red: Double
  /// The green component.
  public var green: Double
  /// The blue component.
  public var blue: Double

  /// Creates a color from its components.
  ///
  /// Renderers clamp components outside of 0 to 1.
  ///
  /// - Parameters:
  ///   - red: The share of red, from 0 to 1.
  ///   - green: The share of green, from 0 to 1.
  ///   - blue: The share of blue, from 0 to 1.
  public init(red: Double, green: Double, blue: Double) {
    (self.red, self.green, self.blue) = (red, green, blue)
  }
}

/// The alignment of an element within a wider space.
public enum ElementAlignment: Hashable, Sendable {
  /// At the start of lines.
  case leading
  /// In the middle.
  case center
  /// At the end of lines.
  case trailing
}
