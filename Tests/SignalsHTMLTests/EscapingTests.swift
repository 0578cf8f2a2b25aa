import Signals
import SignalsHTML
import Testing

/// Hostile text in each place of a page: none leaves its place.
@Suite struct `Escaping by place` {
  static let corpus = [
    "<script>alert(1)</script>", "</p></main></form><script>1</script>", "\"><img src=x onerror=1>",
    "' onfocus='1", "\" autofocus onfocus=\"1", "&lt;b&gt;", "&#60;b&#62;", "]]>", "<!--", "-->",
    "<![CDATA[x]]>", "</textarea><script>1</script>", "</title><script>1</script>", "\u{0}a",
    "a\u{1B}[31m",
    "a\u{85}b", "\u{202E}abc", "tab\there", "  spaces  ", "\u{FFFE}\u{FFFF}", "é", "e\u{301}", "👩‍👩‍👧‍👦",
    "javascript:alert(1)", "{{7*7}}", "${7*7}", "\\\"", "`", "=1+1", "%00%3Cscript%3E",
  ]

  @Test(arguments: corpus) func `text stays text in every place`(hostile: String) throws {
    let text = Signal(hostile)
    let session = HTMLSession(Store(), title: hostile) {
      Text(hostile)
      Text(hostile).style(.title)
      Section(hostile) { Text("x") }
      Button(hostile) {}
      TextField(hostile, text: text.binding, id: "field")
      Toggle(hostile, isOn: .constant(true))
      Picker(hostile, selection: .constant(hostile), options: [hostile], id: "picker")
      ProgressBar(hostile, value: 0.5)
      Table([TableColumn(hostile)]) { TableRow { Text(hostile) } }
      ErrorText([hostile])
      Element(kind: ElementKind(hostile), text: hostile)
      Text("k").onKey(KeyPress(hostile)) {}
      Text("s").style(ElementStyle(hostile))
    }
    let browser = try TestBrowser(session)
    let shown = try browser.only("//main/p[1]").text
    // The page shows the text itself, or pictures of control characters.
    if !hostile.unicodeScalars.contains(where: isControl) { #expect(shown == hostile) }
    let places = [
      "//h1", "//h2", "//main/button[1]", "//button[@role='switch']", "//option", "//th",
      "//td", "//p[@class='error']", "//main/p[3]", "//nav/button",
    ]
    for place in places {
      #expect(try browser.only(place).text == shown, "\(place)")
    }
    #expect(try browser.only("//title").text == "\(shown) – \(shown)")
    #expect(try browser.texts("//label") == [shown, shown, shown])
    #expect(try browser.only("//input[@type='text']")["value"] == shown)
    let tags = Set(try browser.all("//*").compactMap(\.name))
    #expect(tags.isDisjoint(with: ["script", "img", "b"]), "\(tags)")
    let attributes = try browser.attributes()
    #expect(!attributes.contains { $0.hasPrefix("on") })
    // A field that wasn't edited isn't entered, whatever the browser made of its text.
    try browser.press("Apply")
    #expect(text.value.unicodeScalars.elementsEqual(hostile.unicodeScalars))
  }

  private func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control && scalar != "\t"
      || scalar.value == 0xFFFE || scalar.value == 0xFFFF
  }

  @Test(arguments: corpus + ["a\r\nb\rc\nd"])
  func `typed text arrives unchanged`(typed: String) throws {
    let text = Signal("")
    let browser = try TestBrowser(
      HTMLSession(Store(), title: "Test") { TextField("Name", text: text.binding) })
    try browser.type(typed, into: "Name")
    try browser.press("Apply")
    let controls = typed.unicodeScalars.contains(where: isControl)
    if !controls { #expect(text.value.unicodeScalars.elementsEqual(typed.unicodeScalars)) }
    #expect(!text.value.unicodeScalars.contains { isControl($0) && $0 != "\n" })
  }

  @Test(arguments: [
    ("/site.css", true), ("site.css?v=1:2", true), ("https://example.org/a", true),
    ("HTTP://a", true),
    ("javascript:alert(1)", false), ("JaVaScRiPt:1", false), ("java\tscript:1", false),
    (" javascript:1", false), ("data:text/html,x", false), ("vbscript:1", false),
    ("//evil.org", false),
    ("/\\evil.org", false), ("\u{1}javascript:1", false), ("", true),
  ]) func `an address has a scheme that runs nothing, or isn't written`(
    address: String, isWritten: Bool
  ) throws {
    let session = HTMLSession(Store(), title: "Test", stylesheet: address) { Text("") }
    let link = try TestBrowser(session).only("//link")
    #expect(link["href"] == (isWritten ? address : nil))
  }

  @Test func `pages have no keys and no ids of objects`() throws {
    let store = Store()
    let list = try store.addChores(["wash", "cook"])
    let session = HTMLSession(store, title: "Test") {
      ListBox(id: "list", onMove: { list.chores.move(fromOffsets: $0, toOffset: $1) }) {
        ForEach(list.chores) { chore in
          Button(chore.title, id: "do-\(chore.key)") { chore.isDone = true }
          Toggle("", isOn: .constant(true), id: "toggle-\(chore.key)")
          Button("", id: "empty-\(chore.key)") {}
        }
      }
      Picker(
        "Chore", selection: .constant(list.chores[0]), options: Array(list.chores), title: \.title)
    }
    let page = try TestBrowser(session).page
    #expect(!page.contains("secret"))
    for chore in list.chores {
      let id = chore.objectID
      #expect(!page.contains("\(id.replica)-\(id.counter)"))
    }
  }
}
