import Signals
import SignalsTesting
import TestSupport
import Testing

/// The ways in which live results of a view are declared.
@Suite struct `Views, forms of results` {
  final class Line: Projection<Tale> {
    @Projected(\Tale.title) var title: String
    @Projected(\Tale.pages) var pages: Int
    @Projected(\Tale.rating) var rating: Double?
  }

  struct All {
    @ObservedResults(Tale.self, sortedBy: \.rating) var byRating
    @ObservedResults(Line.self, sortedBy: \.rating) var lines
    @ObservedResults(Line.self, sortedBy: .descending(\.rating), .ascending(\.title)) var both
    @ObservedSections(Tale.self, by: \.title, sortedBy: .ascending(\.rating)) var byTitle
    @ObservedSections(Tale.self, by: \.rating, sortedBy: .ascending(\.rating)) var byOptional
    @ObservedSections(Tale.self, by: { $0.pages % 2 }, sortedBy: .ascending(\.rating)) var byKey
    @ObservedSections(Tale.self, by: { $0.rating }) var byOptionalKey
    @ObservedSections(Line.self, by: \.title, sortedBy: .ascending(\.rating)) var lineTitles
    @ObservedSections(Line.self, by: \.rating) var lineRatings
    @ObservedSections(Line.self, by: { $0.rating }, sortedBy: .descending(\.pages)) var lineKeys

    init(_ store: Store) {
      _byRating = ObservedResults(Tale.self, sortedBy: \.rating, in: store)
      _lines = ObservedResults(Line.self, sortedBy: \.rating, in: store)
      _both = ObservedResults(
        Line.self, sortedBy: .descending(\.rating), .ascending(\.title), in: store)
      _byTitle = ObservedSections(Tale.self, by: \.title, sortedBy: .ascending(\.rating), in: store)
      _byOptional = ObservedSections(
        Tale.self, by: \.rating, sortedBy: .ascending(\.rating), in: store)
      _byKey = ObservedSections(
        Tale.self, by: { $0.pages % 2 }, sortedBy: .ascending(\.rating), in: store)
      _byOptionalKey = ObservedSections(Tale.self, by: { $0.rating }, in: store)
      _lineTitles = ObservedSections(
        Line.self, by: \.title, sortedBy: .ascending(\.rating), in: store)
      _lineRatings = ObservedSections(Line.self, by: \.rating, in: store)
      _lineKeys = ObservedSections(
        Line.self, by: { $0.rating }, sortedBy: .descending(\.pages), in: store)
    }
  }

  @Test func `optional properties sort and section everywhere, nil first`() throws {
    let store = Store()
    let tales = try store.addTales(titled: ["a", "b", "a", "b"])
    for (tale, rating) in zip(tales, [2, nil, 1, nil] as [Double?]) { tale.rating = rating }
    let all = All(store)
    #expect(all.byRating.pages == [2, 4, 3, 1])
    #expect(all.lines.map(\.pages) == [2, 4, 3, 1] && all.both.map(\.pages) == [1, 3, 2, 4])
    #expect(text(all.byTitle) == ["a: [3, 1]", "b: [2, 4]"])
    #expect(all.byOptional.map(\.key) == [nil, 1, 2])
    #expect(text(all.byKey) == ["0: [2, 4]", "1: [3, 1]"])
    #expect(all.byOptionalKey.map(\.key) == [nil, 1, 2], "by key, not by first row")
    #expect(all.lineTitles.map { $0.map(\.pages) } == [[3, 1], [2, 4]])
    #expect(all.lineRatings.map(\.key) == [nil, 1, 2])
    #expect(all.lineKeys.map { $0.map(\.pages) } == [[4, 2], [3], [1]])
    #expect(all.lineTitles.map { $0.value(.sum(\.pages)) } == [4, 6])
    #expect(all.lineTitles.results.count == 4 && all.byTitle.results.pages == [2, 4, 3, 1])
  }

  struct Screen: View {
    @ObservedSections(Line.self, by: \.title, sortedBy: .ascending(\.pages)) var sections
    @State var least = 0
    var body: Element {
      ForEach($sections.where(on: least) { $0.pages >= least }) { $section in
        Text("\(section.key) \(section.value(.sum(\.pages)) ?? 0)")
        ForEach(section) { Text("\($0.pages)") }
        Button("remove of \(section.key)") { try $section.remove(atOffsets: [0]) }
      }
      Button("more") { least += 1 }
    }
  }

  @Test func `sections of projections are on screen`() throws {
    let store = Store()
    let tales = try store.addTales(titled: ["a", "b", "a"])
    let app = try TestHost(store) { Screen() }
    #expect(app.text == "a 4\n1\n3\n[remove of a]\nb 2\n2\n[remove of b]\n[more]")
    tales[1].title = "a"
    #expect(app.text == "a 6\n1\n2\n3\n[remove of a]\n[more]")
    try app.tap("more")
    try app.tap("more")
    #expect(app.text == "a 5\n2\n3\n[remove of a]\n[more]")
    try app.tap("remove of a")
    #expect(tales[1].isDeleted)
  }

  @Test func `sections of projections tell their changes`() throws {
    let store = Store()
    let tales = try store.addTales(titled: ["a", "b", "a"])
    let rows = store.results(Tale.self).projected(to: Line.self)
      .sorted(by: .descending(\.rating), .ascending(\.pages))
    let sections = rows.sectioned(by: \.title)
    var shown = sections.contents
    let token = sections.observe { $0.apply(to: &shown) }
    tales[0].title = "b"
    tales[2].rating = 5
    try store.delete(tales[1])
    #expect(shown == sections.contents && shown.map(\.key) == ["a", "b"])
    #expect(shown[0].rows[0] === Line.shared(for: tales[2]))
    token.cancel()
  }

  struct Ordered: View {
    @ObservedSections(Tale.self, by: \.title) var sections
    @State var isTurned = false
    var body: Element {
      let order: SectionOrder = isTurned ? .descending : .ascending
      ForEach($sections.sections(on: isTurned) { $0.sectioned(by: \.title, order: order) }) {
        $section in
        Text(section.key)
      }
      Button("turn") { isTurned.toggle() }
    }
  }

  @Test func `sections in an order of the view's own`() throws {
    let store = Store()
    _ = try store.addTales(titled: ["a", "b"])
    let app = try TestHost(store) { Ordered() }
    #expect(app.text == "a\nb\n[turn]")
    try app.tap("turn")
    #expect(app.text == "b\na\n[turn]")
  }
}
