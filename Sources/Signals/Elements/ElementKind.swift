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

extension ElementKind {
  /// A piece of text.
  public static let text = ElementKind("text")
  /// The errors of a value.
  public static let errorText = ElementKind("errorText")
  /// A separator line.
  public static let divider = ElementKind("divider")
  /// A bar that fills.
  public static let progressBar = ElementKind("progressBar")
  /// Elements side by side.
  public static let row = ElementKind("row")
  /// Elements arranged from top to bottom.
  public static let column = ElementKind("column")
  /// Elements under a title.
  public static let section = ElementKind("section")
  /// The content above a ``Section`` that has a header instead of a title.
  public static let sectionHeader = ElementKind("sectionHeader")
  /// The content below a ``Section`` that has a footer.
  public static let sectionFooter = ElementKind("sectionFooter")
  /// Elements arranged from top to bottom, which scroll if they don't fit.
  public static let scrollBox = ElementKind("scrollBox")
  /// A list of rows.
  public static let listBox = ElementKind("listBox")
  /// A button that runs an intent.
  public static let button = ElementKind("button")
  /// A field for editing text.
  public static let textField = ElementKind("textField")
  /// A field for editing text of several lines.
  public static let textEditor = ElementKind("textEditor")
  /// A field for a password.
  public static let secureField = ElementKind("secureField")
  /// A control that turns a setting on and off.
  public static let toggle = ElementKind("toggle")
  /// A control for choosing one of several options.
  public static let picker = ElementKind("picker")
  /// A control that shows all options, of which one is chosen.
  public static let radioGroup = ElementKind("radioGroup")
  /// A link to another place.
  public static let link = ElementKind("link")
  /// A picture, with a text in its place for those who don't see it.
  public static let image = ElementKind("image")
  /// A table: a ``tableHeader`` and the content that makes the rows.
  public static let table = ElementKind("table")
  /// The titles of a table.
  public static let tableHeader = ElementKind("tableHeader")
  /// A column title of a table.
  public static let tableColumn = ElementKind("tableColumn")
  /// A row of a table.
  public static let tableRow = ElementKind("tableRow")
  /// Content that covers the screen, laid out from top to bottom.
  public static let cover = ElementKind("cover")
  /// A container for content that can't have an ``ElementLook``, such as a view.
  public static let modified = ElementKind("modified")
}
