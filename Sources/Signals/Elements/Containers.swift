/// Elements side by side.
public struct Row: ElementContent {
  /// What stands in the body.
  public let element: Element

  /// Holds elements from left to right.
  public init(id: String? = nil, @ElementBuilder _ content: () -> Element) {
    element = Element(kind: .row, id: id, children: [content()])
  }
}

/// Elements one below the other.
public struct Column: ElementContent {
  /// What stands in the body.
  public let element: Element

  /// Holds elements from top to bottom.
  public init(id: String? = nil, @ElementBuilder _ content: () -> Element) {
    element = Element(kind: .column, id: id, children: [content()])
  }
}

/// Elements under a title.
///
/// The title, the header and the footer are evaluated by themselves: a count in one of them, as in
/// `"\(section.key) (\(section.count))"`, runs neither the body around the section nor its rows when it changes.
///
/// ```swift
/// Section {
///   ForEach(section) { book in Text(book.title) }
/// } header: {
///   Row { Text(section.key); Text("\(section.count)").style(.secondary) }
/// } footer: {
///   Text("\(section.value(.sum(\.pages))) pages")
/// }
/// ```
public struct Section: ElementContent {
  /// What stands in the body.
  public let element: Element

  /// Holds elements under a title, which is evaluated by itself.
  public init(
    _ title: @autoclosure @escaping () -> String, id: String? = nil,
    @ElementBuilder _ content: () -> Element
  ) {
    let content = content()
    element = Element(
      .part(
        ElementPart(.section) {
          Element(kind: .section, id: id, text: title(), children: [content])
        }))
  }

  /// Holds elements under a header, which is evaluated by itself.
  public init(
    id: String? = nil, @ElementBuilder content: () -> Element,
    @ElementBuilder header: @escaping () -> Element
  ) {
    element = Section.element(id, [Section.header(header), content()])
  }

  /// Holds elements between a header and a footer, each evaluated by itself.
  public init(
    id: String? = nil, @ElementBuilder content: () -> Element,
    @ElementBuilder header: @escaping () -> Element,
    @ElementBuilder footer: @escaping () -> Element
  ) {
    element = Section.element(id, [Section.header(header), content(), Section.footer(footer)])
  }

  /// Holds elements above a footer, which is evaluated by itself.
  public init(
    id: String? = nil, @ElementBuilder content: () -> Element,
    @ElementBuilder footer: @escaping () -> Element
  ) {
    element = Section.element(id, [content(), Section.footer(footer)])
  }

  private static func element(_ id: String?, _ children: [Element]) -> Element {
    Element(kind: .section, id: id, children: children)
  }

  private static func header(_ make: @escaping () -> Element) -> Element {
    Element(kind: .sectionHeader, children: [Element(.part(ElementPart(.header, make)))])
  }

  private static func footer(_ make: @escaping () -> Element) -> Element {
    Element(kind: .sectionFooter, children: [Element(.part(ElementPart(.footer, make)))])
  }
}

/// A part of the screen that a renderer scrolls where there is no room for all of it.
///
/// Where there is room it is a ``Column``. It takes the height that what is around it leaves, so that a line at the foot
/// stays there; a screen that is put into one is all there on any size. Of rows made by a ``ForEach`` only those in sight
/// are made. Lists in it scroll by themselves, unless even their fewest rows don't fit: then they are part of it.
///
/// ```swift
/// Column {
///   ScrollBox { OrderForm(order: order) }
///   Text("ctrl-s saves").style(.status)
/// }
/// ```
public struct ScrollBox: ElementContent {
  /// What stands in the body.
  public let element: Element

  /// Holds elements from top to bottom.
  public init(id: String? = nil, @ElementBuilder _ content: () -> Element) {
    element = Element(kind: .scrollBox, id: id, children: [content()])
  }
}

/// A list of rows, which a renderer may scroll.
public struct ListBox: ElementContent {
  /// What stands in the body.
  public let element: Element

  /// Holds rows from top to bottom.
  public init(id: String? = nil, @ElementBuilder _ content: () -> Element) {
    element = Element(kind: .listBox, id: id, children: [content()])
  }

  /// Holds rows that the user can move.
  ///
  /// `onMove` gets the offsets of the rows that are moved, and that of the row before which they come to stand, both
  /// as they are on screen: what ``List/move(fromOffsets:toOffset:)`` takes.
  ///
  /// ```swift
  /// ListBox(id: "queue", onMove: { queue.books.move(fromOffsets: $0, toOffset: $1) }) {
  ///   ForEach(queue.books) { book in Text(book.title) }
  /// }
  /// ```
  public init(
    id: String, onMove: @escaping ([Int], Int) throws -> Void,
    @ElementBuilder _ content: () -> Element
  ) {
    element = Element(kind: .listBox, id: id, move: onMove, children: [content()])
  }
}

// Nobody can call these: they are unavailable, and there to say what to write instead. So their bodies never run.
extension List where Element == Object {
  /// What SwiftUI calls a list is a ``ListBox`` here: `ListBox { ForEach(books) { Text($0.title) } }`.
  @available(*, unavailable, message: "a list on screen is a ListBox: ListBox { ForEach(…) { … } }")
  public init<Data>(_ data: Data, @ElementBuilder row: (Data.Element) -> Signals.Element)
  where Data: RandomAccessCollection { self.init() }

  /// What SwiftUI calls a list is a ``ListBox`` here: `ListBox { … }`.
  @available(*, unavailable, message: "a list on screen is a ListBox: ListBox { … }")
  public init(@ElementBuilder _ content: () -> Signals.Element) { self.init() }
}

extension ElementKind {
  /// Elements side by side.
  public static let row = ElementKind("row")
  /// Elements one below the other.
  public static let column = ElementKind("column")
  /// Elements under a title.
  public static let section = ElementKind("section")
  /// What stands above the content of a ``Section`` that has more than a title.
  public static let sectionHeader = ElementKind("sectionHeader")
  /// What stands below the content of a ``Section``.
  public static let sectionFooter = ElementKind("sectionFooter")
  /// Elements one below the other, which scroll where they don't fit.
  public static let scrollBox = ElementKind("scrollBox")
  /// A list of rows.
  public static let listBox = ElementKind("listBox")
}
