/// How an element should look, as far as a renderer can: every part is a wish.
///
/// It is set by ``ElementContent/style(_:)``, ``ElementContent/tint(_:)``,
/// ``ElementContent/frame(minWidth:maxWidth:minHeight:maxHeight:flex:)`` and ``ElementContent/aligned(_:)``. A
/// ``TextRenderer`` leaves it out.
public struct ElementLook: Hashable, Sendable {
  /// What the element is in its surroundings, the outermost first.
  public var styles: [ElementStyle] = []
  /// The color that it is drawn in, over that of its styles.
  public var tint: ElementColor?
  /// The colors of the options of a ``Picker``, in their order; those that are missing have none.
  public var optionTints: [ElementColor?] = []
  /// The least width, in the renderer's units: cells on a terminal.
  public var minWidth: Int?
  /// The greatest width.
  public var maxWidth: Int?
  /// The least height.
  public var minHeight: Int?
  /// The greatest height.
  public var maxHeight: Int?
  /// Its part of the space that is left in a row, beside that of the others; 0 is none.
  public var flex: Double?
  /// Where it stands in the space that it has.
  public var alignment: ElementAlignment?
  /// Which way what it heads is sorted by it.
  public var order: SortDirection?

  /// Creates a look that wishes nothing.
  public init() {}
}

/// A look that an element has of its own.
final class LookBox {
  let look: ElementLook

  init(_ look: ElementLook) { self.look = look }
}

/// What an element is in its surroundings: a renderer chooses how that looks.
///
/// An open set, as ``ElementKind`` is: declare one of your own as a static constant, and draw it in your renderer.
public struct ElementStyle: Hashable, Sendable, CustomStringConvertible {
  /// The name of the style.
  public let name: String

  /// Creates a style.
  public init(_ name: String) { self.name = name }

  /// The name of the style.
  public var description: String { name }

  /// More important than what is around it.
  public static let emphasized = ElementStyle("emphasized")
  /// Less important than what is around it.
  public static let secondary = ElementStyle("secondary")
  /// What a screen or a part of it is called.
  public static let title = ElementStyle("title")
  /// In the color of the app.
  public static let accent = ElementStyle("accent")
  /// Good news.
  public static let positive = ElementStyle("positive")
  /// To be looked at.
  public static let warning = ElementStyle("warning")
  /// Bad news, or something that can't be taken back.
  public static let negative = ElementStyle("negative")
  /// A line about the whole screen, as at its foot.
  public static let status = ElementStyle("status")
}

/// A color of the app's data, by its parts from 0 to 1.
///
/// What an element is in its surroundings is an ``ElementStyle``, whose color the renderer chooses; this is for where the
/// color itself is shown, as that of a label that the user has given one.
public struct ElementColor: Hashable, Sendable {
  /// How much red.
  public var red: Double
  /// How much green.
  public var green: Double
  /// How much blue.
  public var blue: Double

  /// Creates a color of its parts; a renderer takes those outside of 0 to 1 as the nearest within.
  public init(red: Double, green: Double, blue: Double) {
    (self.red, self.green, self.blue) = (red, green, blue)
  }
}

/// Where something stands in a space that is wider than it.
public enum ElementAlignment: Hashable, Sendable {
  /// Where lines begin.
  case leading
  /// In the middle.
  case center
  /// Where lines end.
  case trailing
}

extension ElementContent {
  /// Says what this content is in its surroundings; it holds for all that is in it.
  ///
  /// ```swift
  /// Text("\(overdue) overdue").style(.warning)
  /// ```
  public func style(_ style: ElementStyle) -> Element {
    element.changing { $0.styles.insert(style, at: 0) }
  }

  /// Draws this content in a color of its own, for all that is in it; nil leaves it as it is.
  ///
  /// A renderer shows the nearest color that it has, or none: say it in words too.
  ///
  /// ```swift
  /// Text(label.name).tint(label.color)
  /// ```
  public func tint(_ color: ElementColor?) -> Element {
    color.map { color in element.changing { $0.tint = color } } ?? element
  }

  /// Limits the space that this content takes, in the units of the renderer: cells on a terminal.
  ///
  /// With `flex` it takes a part of what is left in its row, beside the others: twice that of another with half as
  /// much.
  ///
  /// ```swift
  /// Row {
  ///   Text(book.title).frame(minWidth: 10, flex: 1)
  ///   Text("\(book.pages)").frame(minWidth: 5, maxWidth: 5).aligned(.trailing)
  /// }
  /// ```
  public func frame(
    minWidth: Int? = nil, maxWidth: Int? = nil, minHeight: Int? = nil, maxHeight: Int? = nil,
    flex: Double? = nil
  ) -> Element {
    element.changing { look in
      look.minWidth = minWidth ?? look.minWidth
      look.maxWidth = maxWidth ?? look.maxWidth
      look.minHeight = minHeight ?? look.minHeight
      look.maxHeight = maxHeight ?? look.maxHeight
      look.flex = flex ?? look.flex
    }
  }

  /// Says where this content stands in the space that it has.
  public func aligned(_ alignment: ElementAlignment) -> Element {
    element.changing { $0.alignment = alignment }
  }
}

extension ElementKind {
  /// Something around content that can't have a ``ElementLook`` of its own, as a view.
  public static let modified = ElementKind("modified")
}
