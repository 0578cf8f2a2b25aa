import Signals
import SignalsHTML
import Testing

/// Pages of screens: the markup of each kind of element.
@Suite struct `Pages` {
  private func browser(
    _ store: Store = Store(), @ElementBuilder _ root: @escaping () -> Element
  ) throws -> TestBrowser {
    try TestBrowser(HTMLSession(store, title: "Test", root: root))
  }

  @Test func `a page is a complete document in one form`() throws {
    let browser = try browser { Text("Hello") }
    #expect(browser.page.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">"))
    #expect(try browser.texts("/html/head/title") == ["Test"])
    #expect(try browser.only("/html/head/meta[1]")["charset"] == "utf-8")
    #expect(try browser.only("/html/head/link")["href"] == "/signals.css")
    #expect(try browser.only("/html/body/form")["method"] == "post")
    #expect(try browser.texts("/html/body/form/main/p") == ["Hello"])
  }

  @Test func `texts are paragraphs, titles are headings of their level`() throws {
    let browser = try browser {
      Text("Screen").style(.title)
      Text("plain")
      Section("Part") {
        Text("inner").style(.title)
        Section("Detail") { Text("deep") }
      }
      Text("ready").style(.status)
    }
    #expect(try browser.texts("//h1") == ["Screen"])
    #expect(try browser.texts("//h2") == ["Part", "inner"])
    #expect(try browser.texts("//h3") == ["Detail"])
    #expect(try browser.texts("//section/section/p") == ["deep"])
    #expect(try browser.only("//p[@role='status']").text == "ready")
    let part = try browser.all("//section")[0]
    #expect(try browser.only("//*[@id='\(part["aria-labelledby"] ?? "")']").text == "Part")
  }

  @Test func `rows, columns and looks are classes of the stylesheet`() throws {
    let color = ElementColor(red: 1, green: 0.5, blue: -3)
    let browser = try browser {
      Row { Text("a").frame(minWidth: 10, maxWidth: 1000, flex: 2) }
      Column { Text("b").tint(color).aligned(.trailing) }
      Text("c").style(ElementStyle("very \"late\"")).style(.warning)
      Divider()
    }
    #expect(try browser.only("//div[@class='row']/span")["class"] == "w-10 x-120 f-2")
    #expect(try browser.only("//div[@class='column']/p")["class"] == "t-530 a-trailing")
    #expect(try browser.only("//main/p")["class"] == "s-warning s-very__late_")
    #expect(try browser.all("//main/hr").count == 1)
    #expect(try browser.all("//*[@style]").isEmpty)
    for name in ["w-10", "x-120", "f-2", "t-530", "a-trailing", "s-warning"] {
      #expect(HTMLStylesheet.text.contains(".\(name)"), "\(name)")
    }
  }

  @Test func `a field has its label, its value and its errors`() throws {
    let store = Store()
    let chore = try store.addChores(["wash"]).chores[0]
    let browser = try browser(store) {
      TextField("Minutes", value: Binding(get: { chore.minutes }, set: { chore.minutes = $0 }))
      TextField("Title", text: Binding(get: { chore.title }, set: { chore.title = $0 })) {}
    }
    let label = try #require(try browser.all("//label").first)
    var input = try browser.only("//input[@id='\(label["for"] ?? "")']")
    #expect(input["value"] == "5" && input["type"] == "text" && input["aria-invalid"] == nil)
    try browser.type("ten", into: "Minutes")
    try browser.press("Apply")
    input = try browser.only("//input[@aria-invalid='true']")
    #expect(input["value"] == "ten")
    let errors = try browser.only("//*[@id='\(input["aria-describedby"] ?? "")']")
    #expect(errors.text == "\"ten\" can't be used here")
    #expect(try browser.all("//button[@aria-label='Submit Title']").count == 1)
  }

  @Test func `a text of several lines is edited as such`() throws {
    let text = Signal("one\ntwo\n")
    let browser = try browser { TextField("Note", text: text.binding) }
    #expect(try browser.only("//textarea").text == "\none\ntwo\n")
    try browser.press("Apply")
    #expect(text.value == "one\ntwo\n")
    try browser.type("\r\nthree\r\n", into: "Note")
    try browser.press("Apply")
    #expect(text.value == "\nthree\n")
    #expect(try browser.only("//textarea").text == "\n\nthree\n")
  }

  @Test func `toggles, pickers and progress are what assistive technology knows`() throws {
    let isOn = Signal(true), choice = Signal("b")
    let browser = try browser {
      Toggle("Loud", isOn: isOn.binding)
      Picker("Letter", selection: choice.binding, options: ["a", "b"])
      ProgressBar("Done", value: 1, total: 3, id: "bar")
    }
    let toggle = try browser.only("//button[@role='switch']")
    #expect(toggle["aria-checked"] == "true" && toggle.text == "Loud")
    #expect(try browser.texts("//select/option") == ["a", "b"])
    #expect(try browser.only("//option[@selected]").text == "b")
    let progress = try browser.only("//progress")
    #expect(progress["value"] == "\(1.0 / 3)" && progress.text == "33%")
    #expect(try browser.texts("//label") == ["Letter", "Done"])
  }

  @Test func `disabled and busy elements say so, and can't be used`() throws {
    let browser = try browser {
      Button("Go") {}.disabled()
      TextField("Name", text: .constant("")).disabled()
      Toggle("On", isOn: .constant(true)).disabled()
    }
    for name in ["button[.='Go']", "input[@type='text']", "button[@role='switch']"] {
      #expect(try browser.only("//\(name)")["disabled"] != nil, "\(name)")
    }
  }

  @Test func `a table has heads that sort, cells, and rows that open`() throws {
    let opened = Signal("")
    let order = Signal(SortDirection.ascending)
    let browser = try browser {
      Table([
        TableColumn("Name", order: order.value) { order.value = .descending },
        TableColumn("Size", minWidth: 6, alignment: .trailing),
      ]) {
        ForEach(["x", "y"], id: \.self) { name in
          TableRow(id: name) {
            Text(name); Text("\(name.count)")
          } onTap: {
            opened.value = name
          }
        }
        Text("two in all")
      }
    }
    #expect(try browser.texts("//thead/tr/th") == ["Name", "Size"])
    #expect(try browser.all("//th")[0]["aria-sort"] == "ascending")
    #expect(try browser.all("//th")[1]["class"] == "w-6 a-trailing")
    #expect(try browser.texts("//tbody/tr/td") == ["x", "1", "y", "1", "two in all"])
    #expect(try browser.all("//tbody/tr/td")[1]["class"] == "a-trailing")
    #expect(try browser.only("//td[@colspan]")["colspan"] == "2")
    try browser.press("Name")
    #expect(try browser.all("//th")[0]["aria-sort"] == "descending")
    try browser.press("y")
    #expect(opened.value == "y")
  }

  @Test func `lists are lists, and rows below a title too`() throws {
    let browser = try browser {
      ListBox(id: "list") { ForEach([1, 2], id: \.self) { Text("\($0)") } }
      Section("More") { ForEach([3], id: \.self) { Text("\($0)") } }
      ForEach([Int](), id: \.self) { Text("\($0)") }
    }
    #expect(try browser.texts("//ul[@class='list']/li/p") == ["1", "2"])
    #expect(try browser.texts("//section/ul/li") == ["3"])
    #expect(try browser.all("//ul").count == 2)
  }

  @Test func `an element of an unknown kind shows its text and what it contains`() throws {
    let taps = Signal(0)
    let browser = try browser {
      Element(kind: ElementKind("badge"), text: "new", children: [Text("inner").element])
      Element(kind: ElementKind("chip"), text: "press", action: .tap { taps.value += 1 })
    }
    #expect(browser.main == "newinnerpress")
    try browser.press("press")
    #expect(taps.value == 1)
  }

  @Test func `a cover is shown alone, as a dialog`() throws {
    let isShown = Signal(false)
    let browser = try browser {
      Button("Below") {}
      Text("page").covered(when: isShown.value) { Button("Close") { isShown.value = false } }
    }
    #expect(browser.main == "Belowpage")
    isShown.value = true
    try browser.load()
    #expect(try browser.texts("//main/div[@role='dialog']") == ["Close"])
    #expect(browser.main == "Close")
    try browser.press("Close")
    #expect(browser.main == "Belowpage")
  }

  @Test func `of many rows a page has a hundred, and leads to the others`() throws {
    let numbers = Array(0..<100_000)
    let session = HTMLSession(Store(), title: "Test") {
      ForEach(numbers, id: \.self) { Text("row \($0)") }
    }
    let browser = try TestBrowser(session)
    #expect(try browser.all("//li").count == 100)
    #expect(try browser.texts("//*[@class='pages']/span") == ["1–100 of 100000"])
    try browser.press("Later")
    #expect(try browser.texts("//li[1]") == ["row 100"])
    try browser.press("Last")
    #expect(try browser.texts("//li[100]") == ["row 99999"])
    try browser.press("Earlier")
    #expect(try browser.texts("//li[1]") == ["row 99800"])
    try browser.press("First")
    #expect(try browser.texts("//li[1]") == ["row 0"])
    #expect(session.host.bodies < 1000)
  }

  /// Content that shows a text, and more with an effect once that isn't empty.
  private struct Follower: View {
    let text: Signal<String>
    let next: Signal<String>

    var body: Element {
      Text("text \(text.value)")
      if !text.value.isEmpty { Text("new").onAppear { next.value = "b" } }
    }
  }

  @Test func `what rows write as they appear is on the page, with what follows from it`() throws {
    let (first, second) = (Signal(""), Signal(""))
    let browser = try browser {
      Follower(text: first, next: second)
      Follower(text: second, next: Signal(""))
      ForEach([0], id: \.self) { _ in Text("row").onAppear { first.value = "a" } }
    }
    #expect(try browser.texts("//main/p") == ["text a", "new", "text b", "new"])
  }

  @Test func `keys are buttons`() throws {
    let pressed = Signal("")
    let browser = try browser {
      Text("a").onKey("q") { pressed.value += "q" }.onKey("<&\"'.>") { pressed.value += "!" }
    }
    #expect(try browser.texts("//nav/button") == browser.session.host.keys.map(\.name))
    try browser.press("q")
    try browser.press("<&\"'.>")
    #expect(pressed.value == "q!")
  }

  @Test(arguments: [
    ("q", "q"), ("ctrl-s", "ctrl-s"), ("alt-up", "alt-ArrowUp"), ("return", "Enter"), ("f5", "F5"),
    ("delete", "Backspace"), ("forward-delete", "Delete"), ("page-down", "PageDown"), (" ", " "),
    ("escape", "Escape"), ("ctrl-alt-left", "ctrl-alt-ArrowLeft"), ("-", "-"), ("ctrl--", "ctrl--"),
  ])
  func `a key's button has the key's name in browsers`(name: String, inBrowsers: String) throws {
    let browser = try browser { Text("a").onKey(KeyPress(name)) {} }
    #expect(try browser.only("//nav/button")["data-key"] == inBrowsers)
  }

  @Test func `nesting without end is named, and the rest of the page is there`() throws {
    var deep = Text("deep").element
    for _ in 0..<1000 {
      let inner = deep
      deep = Column { inner }.element
    }
    let nested = deep
    let browser = try browser {
      nested
      Text("after")
    }
    #expect(try browser.texts("//p[@class='error']") == ["nested too deep to be drawn"])
    #expect(try browser.texts("//p").last == "after")
  }

  @Test func `what has the focus gets it again`() throws {
    let browser = try browser {
      Button("a") {}
      Button("b") {}
    }
    #expect(try browser.all("//*[@autofocus]").isEmpty)
    try browser.press("b")
    #expect(try browser.only("//*[@autofocus]").text == "b")
  }

  @Test func `links and images have harmless addresses only`() throws {
    let browser = try browser {
      Hyperlink("Home", to: "https://example.org/?a=1&b=2")
      Hyperlink("Run", to: "javascript:alert(1)")
      Hyperlink("Tab", to: "java\tscript:alert(1)")
      Image("/chart.png", text: "A \"chart\"")
      Image("data:text/html,x", text: "none")
    }
    #expect(try browser.all("//a[@href]").map { $0["href"] } == ["https://example.org/?a=1&b=2"])
    #expect(try browser.texts("//a") == ["Home", "Run", "Tab"])
    #expect(try browser.all("//a").allSatisfy { $0["rel"] == "noopener noreferrer" })
    #expect(try browser.all("//img").map { $0["src"] } == ["/chart.png", nil])
    #expect(try browser.all("//img").map { $0["alt"] } == ["A \"chart\"", "none"])
  }

  private struct Shop: View {
    @Navigation private var address

    var body: Element {
      if let item = address.part(after: "items") {
        Text(item).style(.title)
        Button("Sell", id: "sell") { $address.goBack() }
      } else {
        Hyperlink("A&B", opening: "/items/\("A&B\"/\"")")
      }
    }
  }

  @Test func `each screen has its path, and links lead there`() throws {
    let session = HTMLSession(Store(), title: "Shop", path: "/shop") { Shop() }
    let browser = try TestBrowser(session)
    #expect(session.location == "/shop")
    #expect(try browser.texts("//title") == ["Shop"])
    let link = try #require(try browser.only("//a")["href"])
    #expect(link == "/shop/items/A%26B%22%2F%22")
    #expect(session.open(link))
    try browser.load()
    #expect(try browser.texts("//title") == ["A&B\"/\" – Shop"])
    #expect(session.location == link)
    // The browser's way back is a request for the page before.
    #expect(session.open("/shop?y"))
    #expect(session.location == "/shop" && !session.host.addresses.canGoBack)
    #expect(!session.open("/other/items") && !session.open("/shop/%zz"))
    #expect(session.open(link + "?x=1"))
    try browser.load()
    try browser.press("Sell")
    #expect(session.location == "/shop")
  }
}
