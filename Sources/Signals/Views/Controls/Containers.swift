/// Elements side by side.
public struct Row: ElementContent {
  /// The element that represents this content in a body.
  public let element: Element

  /// Arranges elements from left to right.
  ///
  /// - Parameters:
  ///   - id: The name by which intents and tests find the element.
  ///   - content: Returns the elements to arrange.
  public init(id: String? = nil, @ElementBuilder _ content: () -> Element) {
    element = Element(kind: .row, id: id, children: [content()])
  }
}

/// Elements arranged from top to bottom.
public struct Column: ElementContent {
  /// The element that represents this content in a body.
  public let element: Element

  /// Arranges elements from top to bottom.
  ///
  /// - Parameters:
  ///   - id: The name by which intents and tests find the element.
  ///   - content: Returns the elements to arrange.
  public init(id: String? = nil, @ElementBuilder _ content: () -> Element) {
    element = Element(kind: .column, id: id, children: [content()])
  }
}

/// Elements under a title.
///
/// The title, the header and the footer are evaluated separately. If one of them shows a count, as
/// in `"\(section.key) (\(section.count))"`, a change of the count re-evaluates neither the body
/// around the section nor its rows.
///
/// ```swift
/// Section {
///   ForEach(section) { book in Text(book.title) }
/// } header: {
///   Row { Text(section.key); Text("\(section.count)").style(.secondary) }
/// } footer: {
///   Text("\(section.value(.sum(\.pages)) ?? 0) pages")
/// }
/// ```
public struct Section: ElementContent {
  /// The element that represents this content in a body.
  public let element: Element

  /// Creates a section with a title, which is evaluated separately.
  public init(
    _ title: @autoclosure @escaping () -> String, id: String? = nil,
    @ElementBuilder content: () -> Element
  ) {
    let content = content()
    element = Element(
      .separate(
        SeparateContent(.section) {
          Element(kind: .section, id: id, text: title(), children: [content])
        }))
  }

  /// Creates a section with a header, which is evaluated separately.
  ///
  /// - Parameters:
  ///   - id: The name by which intents and tests find the element.
  ///   - content: Returns the elements of the section.
  ///   - header: Returns the content above, in place of a title.
  public init(
    id: String? = nil, @ElementBuilder content: () -> Element,
    @ElementBuilder header: @escaping () -> Element
  ) {
    element = Section.element(id: id, children: [Section.header(header), content()])
  }

  /// Creates a section with a header and a footer, each evaluated separately.
  ///
  /// - Parameters:
  ///   - id: The name by which intents and tests find the element.
  ///   - content: Returns the elements of the section.
  ///   - header: Returns the content above, in place of a title.
  ///   - footer: Returns the content below.
  public init(
    id: String? = nil, @ElementBuilder content: () -> Element,
    @ElementBuilder header: @escaping () -> Element,
    @ElementBuilder footer: @escaping () -> Element
  ) {
    element = Section.element(
      id: id, children: [Section.header(header), content(), Section.footer(footer)])
  }

  /// Creates a section with a footer, which is evaluated separately.
  ///
  /// - Parameters:
  ///   - id: The name by which intents and tests find the element.
  ///   - content: Returns the elements of the section.
  ///   - footer: Returns the content below.
  public init(
    id: String? = nil, @ElementBuilder content: () -> Element,
    @ElementBuilder footer: @escaping () -> Element
  ) {
    element = Section.element(id: id, children: [content(), Section.footer(footer)])
  }

  private static func element(id: String?, children: [Element]) -> Element {
    Element(kind: .section, id: id, children: children)
  }

  private static func header(_ make: @escaping () -> Element) -> Element {
    Element(
      kind: .sectionHeader, children: [Element(.separate(SeparateContent(.header, make: make)))])
  }

  private static func footer(_ make: @escaping () -> Element) -> Element {
    Element(
      kind: .sectionFooter, children: [Element(.separate(SeparateContent(.footer, make: make)))])
  }
}

/// A part of the screen that scrolls if its content doesn't fit.
///
/// - If the content fits, it is a ``Column``.
/// - It takes the height that the elements around it leave, so a line below it stays at the foot of
///   the screen. A screen inside of one is reachable as a whole at any size.
/// - Of the rows of a ``ForEach``, only those in view are created.
/// - Lists inside of it scroll separately, unless even their minimum number of rows doesn't fit.
///   Then they scroll with the rest of the content.
///
/// ```swift
/// Column {
///   ScrollBox { OrderForm(order: order) }
///   Text("ctrl-s saves").style(.status)
/// }
/// ```
public struct ScrollBox: ElementContent {
  /// The element that represents this content in a body.
  public let element: Element

  /// Arranges elements from top to bottom.
  ///
  /// - Parameters:
  ///   - id: The name by which intents and tests find the element.
  ///   - content: Returns the elements to arrange.
  public init(id: String? = nil, @ElementBuilder _ content: () -> Element) {
    element = Element(kind: .scrollBox, id: id, children: [content()])
  }
}

/// A list of rows, which a renderer may scroll.
public struct ListBox: ElementContent {
  /// The element that represents this content in a body.
  public let element: Element

  /// Arranges rows from top to bottom.
  ///
  /// - Parameters:
  ///   - id: The name by which intents and tests find the element.
  ///   - content: Returns the elements to arrange.
  public init(id: String? = nil, @ElementBuilder _ content: () -> Element) {
    element = Element(kind: .listBox, id: id, children: [content()])
  }

  /// Arranges rows that the user can move.
  ///
  /// ```swift
  /// let books = queue.books
  /// ListBox(id: "queue", onMove: { $queue.books.move(fromOffsets: $0, toOffset: $1, in: books) }) {
  ///   ForEach(books) { book in Text(book.title) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - id: The name by which intents and tests find the list.
  ///   - onMove: Gets the offsets of the moved rows and the offset of the row to insert them
  ///     before, both as on screen. ``Binding/move(fromOffsets:toOffset:in:)`` takes the same
  ///     arguments, and the list that the body shows.
  ///   - content: Returns the rows.
  public init(
    id: String, onMove: @escaping ([Int], Int) throws -> Void,
    @ElementBuilder _ content: () -> Element
  ) {
    element = Element(kind: .listBox, id: id, move: onMove, children: [content()])
  }
}

// Unavailable initializers whose messages say what to write instead. Their bodies never run.
extension List where Element == Object {
  /// SwiftUI's list is a ``ListBox``: `ListBox { ForEach(books) { Text($0.title) } }`.
  @available(*, unavailable, message: "a list on screen is a ListBox: ListBox { ForEach(…) { … } }")
  public init<Data>(_ data: Data, @ElementBuilder row: (Data.Element) -> Signals.Element)
  where Data: RandomAccessCollection { self.init() }

  /// SwiftUI's list is a ``ListBox``: `ListBox { … }`.
  @available(*, unavailable, message: "a list on screen is a ListBox: ListBox { … }")
  public init(@ElementBuilder _ content: () -> Signals.Element) { self.init() }
}
