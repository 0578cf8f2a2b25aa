/// The live results of a class in the store around a view, in sections.
///
/// - `ForEach($sections) { $section in … }` gives each section as a ``BoundSection``, whose offsets mean what
///   was on screen; `ForEach(sections) { section in … }` gives it as it is.
/// - `$sections.where(on:)` narrows the rows by the view's own state, and sections without any go;
///   `$sections.sections(on:)` makes anything of the results with it.
/// - `limit:` is how many rows all sections have at most together, the first in the order of the rows: of those that
///   satisfy the condition, and `$sections.where(on:)`. `$sections.sections(on:)` is given all rows.
/// - The rows are objects, or projections of them: `@ObservedSections(BookRow.self, by: \.author)`.
/// - The list of sections is read by the outer `ForEach` alone, and the rows of a section by the one in it:
///   a row that changes its section runs these two, and no body around them.
///
/// They are made once for the view's identity, as ``ObservedResults`` are, and work outside of a view with a
/// store of their own.
///
/// ```swift
/// struct Shelves: View {
///   @ObservedSections(Book.self, by: \.author, sortedBy: .ascending(\.title)) var sections
///   @State private var query = ""
///
///   var body: Element {
///     TextField("Search", text: $query, id: "search")
///     ForEach($sections.where(on: query) { $0.title.contains(query) }) { $section in
///       Section(section.key) {
///         ForEach(section) { book in Text(book.title) }
///         Button("Remove the first") { try $section.remove(atOffsets: [0]) }
///       }
///     }
///   }
/// }
/// ```
@propertyWrapper
public struct ObservedSections<Key: Hashable, Element: _ResultElement>: DynamicProperty {
  private var source: ObservedSource<Sections<Key, Element>>

  init(
    _ store: Store?, _ limit: Int?, _ base: @escaping (Store) -> Query,
    _ make: @escaping (Query) -> Sections<Key, Element>
  ) {
    source = ObservedSource("@ObservedSections of \(Element.self)", in: store, base) {
      Sections.limited(to: limit, of: $0, make)
    }
  }

  /// Binds the wrapper to the sections kept for a view; the host calls it before each body.
  public mutating func bind(to slot: Slot) { source.bind(to: slot) }

  /// The sections.
  public var wrappedValue: Sections<Key, Element> { source.live }

  /// The sections with edits of what is on screen, and made with the view's state.
  public var projectedValue: BoundSections<Key, Element> {
    BoundSections(source: source, sections: wrappedValue)
  }
}

extension ObservedSections: ComparableInput {
  // The slot keeps the sections; how they are made is declared with the view's type.
  func isSameInput(as other: ObservedSections) -> Bool { source.store === other.source.store }
}

extension Sections {
  /// The sections of the first rows of a query, and likewise of what it is narrowed to.
  fileprivate static func limited(
    to limit: Int?, of query: Query, _ make: @escaping (Query) -> Sections
  ) -> Sections {
    guard let limit else { return make(query) }
    let sections = make(Results<Object>(query: query).limit(limit).query)
    return Sections(query, sections.list, sections.keys) {
      limited(to: limit, of: $0, make)
    }
  }
}

extension Sections.Section: VersionedRows {
  var rowData: any RowData {
    TreeRows(span.tree, mayRepeat: false, value: Element._element) { $0.object }
  }
}
