import BrowserTesting
import Hummingbird
import HummingbirdTesting
import NIOHTTP1
import Signals
import Testing

@testable import Site

/// What a browser keeps while its page changes.
@Suite(.enabled(if: BrowserDriver.path != nil), .serialized)
struct `A page in a browser` {
  /// The data of the screen, which tests change as other visitors would, on the main actor.
  final class World: @unchecked Sendable {
    let rows = Signal(Array(0..<20))
    let texts = (0..<20).map { Signal("text \($0)") }
    let choice = Signal("b")
    let options = Signal(["a", "b", "c"])
    let short = Signal("")
    let count = Signal(0)
  }

  struct Screen: View {
    let world: World

    var body: Element {
      Text("count \(world.count.value)", id: "count")
      Button("Add") { world.count.value += 1 }
      TextField(
        "Short",
        text: Binding(
          get: { world.short.value }, set: { world.short.value = String($0.prefix(3)).uppercased() }
        ))
      Picker("Choice", selection: world.choice.binding, options: world.options.value)
      RadioGroup("Radios", selection: world.choice.binding, options: world.options.value)
      ForEach(world.rows.value, id: \.self) { row in
        TextField("row \(row)", text: world.texts[row].binding, id: "row \(row)")
      }
    }
  }

  /// What carries the patches and messages of a page.
  enum Transport {
    case socket, events
    /// Scripts are switched off.
    case forms

    /// A script that leaves the page only this transport, and keeps it in the window.
    var script: String {
      self == .socket
        ? "WebSocket = class extends WebSocket { constructor(url) "
          + "{ super(window.isCut ? url.replace('live', 'none') : url); window.source = this } }"
        : "WebSocket = class { constructor() { setTimeout(() => this.onclose({})) } close() {} }; "
          + "EventSource = class extends EventSource { constructor(url) "
          + "{ super(url); window.source = this } }"
    }
  }

  /// Serves the screen, and opens it.
  func inBrowser(
    by transport: Transport = .socket,
    _ body: @escaping @Sendable (Browser, World, String) async throws -> Void
  ) async throws {
    let world = World()
    try await inBrowser({ Screen(world: world).element }, by: transport) { browser, address in
      try await body(browser, world, address)
    }
  }

  @MainActor private func site(_ root: @escaping @MainActor @Sendable () -> Element) -> Site {
    Site([.eachVisitor("app", title: "App", store: Store()) { SiteScreen { root() } }])
  }

  func inBrowser(
    _ root: @escaping @MainActor @Sendable () -> Element, by transport: Transport = .socket,
    _ body: @escaping @Sendable (Browser, String) async throws -> Void
  ) async throws {
    let site = await site(root)
    try await site.inBrowsers { browsers, address in
      let browser = browsers[0]
      if transport == .forms {
        try await browser.tools("Emulation.setScriptExecutionDisabled", ["value": true])
        try await browser.open("\(address)/app")
        try await browser.expect("document.documentElement.className", "")
      } else {
        try await browser.run(inEachPage: transport.script)
        try await browser.open("\(address)/app")
        try await browser.expect("window.source?.readyState", "1")
        let type = transport == .socket ? "WebSocket" : "EventSource"
        try await browser.expect("source instanceof \(type)", "true")
      }
      try await body(browser, "\(address)/app")
    }
  }

  /// Waits until the site has a value.
  func expect(
    _ expected: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ value: @escaping @MainActor @Sendable () -> String
  ) async throws {
    var found = ""
    for _ in 0..<1500 {
      found = await MainActor.run { value() }
      if found == expected { return }
      try await Task.sleep(nanoseconds: 20_000_000)
    }
    #expect(found == expected, sourceLocation: sourceLocation)
  }

  func field(_ label: String) -> String {
    "[...document.querySelectorAll('label')].find(x => x.textContent == '\(label)').control"
  }

  @Test func `the row that is typed into keeps focus, caret and text while rows move`() async throws
  {
    try await inBrowser { browser, world, _ in
      try await browser.run("\(field("row 5")).focus(); \(field("row 5")).setSelectionRange(2, 4)")
      for shift in 1..<5 {
        await MainActor.run { world.rows.value = (0..<20).map { ($0 + 3 * shift) % 20 } }
        let place =
          "[...document.querySelectorAll('.rows label')].map(x => x.textContent).indexOf('row 5')"
        try await browser.expect(place, "\((5 - 3 * shift + 20) % 20)")
        try await browser.expect("document.activeElement == \(field("row 5"))", "true")
        try await browser.expect(
          "[\(field("row 5")).selectionStart, \(field("row 5")).selectionEnd].join()", "2,4")
      }
      try await browser.press("!")
      try await browser.expect("\(field("row 5")).value", "te! 5")
      try await expect("te! 5") { world.texts[5].value }
      await MainActor.run { world.texts[5].value = "new te! 5" }
      try await browser.expect("\(field("row 5")).selectionStart", "7")
      await MainActor.run { world.rows.value.removeAll { $0 == 5 } }
      try await browser.expect("document.querySelectorAll('.rows label').length", "19")
    }
  }

  @Test(arguments: [Transport.socket, .events])
  func `fast typing on a slow connection loses no letter`(transport: Transport) async throws {
    try await inBrowser(by: transport) { browser, world, _ in
      try await browser.delay(milliseconds: 200)
      try await browser.run("\(field("row 1")).select()")
      let text = "the quick brown fox jumps over the lazy dog"
      for letter in text { try await browser.press("\(letter)") }
      try await expect(text) { world.texts[1].value }
      try await browser.click(text: "Add")
      try await expect("1") { "\(world.count.value)" }
      try await browser.expect("\(field("row 1")).value", text)
    }
  }

  @Test func `refused and changed text is the app's, and the caret stays at the end`() async throws
  {
    try await inBrowser { browser, _, _ in
      try await browser.run("\(field("Short")).focus()")
      try await browser.press("abcde")
      try await browser.expect("\(field("Short")).value", "ABC")
      try await browser.expect("\(field("Short")).selectionStart", "3")
    }
  }

  @Test func `choices are the app's, whoever makes them and whatever is offered`() async throws {
    try await inBrowser { browser, world, _ in
      let shown =
        "[\(field("Choice")).selectedOptions[0].textContent, "
        + "document.querySelector('fieldset :checked').parentElement.textContent].join()"
      try await browser.expect(shown, "b,b")
      await MainActor.run { world.options.value = ["c", "b", "a", "d"] }
      try await browser.expect("\(field("Choice")).options.length", "4")
      try await browser.expect(shown, "b,b")
      try await browser.run(
        "const e = \(field("Choice")); e.selectedIndex = 3; "
          + "for (const t of ['input', 'change']) e.dispatchEvent(new Event(t, {bubbles: true}))")
      try await browser.expect(shown, "d,d")
      try await browser.run("document.querySelectorAll('fieldset input')[2].click()")
      try await browser.expect(shown, "a,a")
      #expect(await MainActor.run { world.choice.value } == "a")
    }
  }

  @Test func `patches that move, insert and remove rows leave no node behind`() async throws {
    try await inBrowser { browser, world, _ in
      let before: Int = try await browser.value(of: "document.querySelectorAll('*').length")
      for round in 1...50 {
        await MainActor.run {
          world.rows.value = Array(world.rows.value.shuffled().dropLast(5))
          world.count.value = round
        }
        try await browser.expect("document.querySelector('p').textContent", "count \(round)")
        try await browser.expect("document.querySelectorAll('.rows label').length", "15")
        await MainActor.run { world.rows.value = Array(0..<20) }
        try await browser.expect("document.querySelectorAll('.rows label').length", "20")
      }
      try await browser.expect("document.querySelectorAll('*').length", "\(before)")
    }
  }

  @Test(arguments: [false, true])
  func `1,000,000 rows are scrolled through, and those in view are the ones that belong there`(
    isTable: Bool
  ) async throws {
    let rows = isTable ? "tbody tr:not(.room)" : ".rows > li:not(.room)"
    // The text of the row in the middle of the window, or just below it if a gap is in the middle.
    let middle =
      "[0, 9].map(y => document.elementFromPoint(200, innerHeight / 2 + y).closest('li, tr'))"
      + ".filter(e => e && !e.className).map(e => e.querySelector('label, td').textContent)[0]"
    try await inBrowser({ ManyRows(isTable: isTable).element }) { browser, _ in
      try await browser.expect("document.querySelectorAll('\(rows)').length", "100")
      for part in [0.5, 0.25, 1, 0] {
        try await browser.run("scrollTo(0, \(part) * document.documentElement.scrollHeight)")
        try await browser.expect("\(middle) != null", "true")
        let text: String = try await browser.value(of: middle)
        let row = try #require(Int(text.drop { !$0.isNumber }))
        #expect(abs(Double(row) - part * 1_000_000) < 5000, "row \(row) is at \(part)")
        #expect(try await browser.value(of: "document.querySelectorAll('\(rows)').length") == 100)
      }
      // Step by step, no row is missing.
      var last = -1
      for _ in 0..<30 {
        try await browser.run("scrollBy(0, 300)")
        try await browser.expect("\(middle) != null", "true")
        let text: String = try await browser.value(of: middle)
        let row = try #require(Int(text.drop { !$0.isNumber }))
        #expect(row > last && row < last + 40, "row \(row) follows row \(last)")
        last = row
      }
      try await browser.click(text: "Last")
      try await browser.expect("document.body.textContent.includes('row 999999')", "true")
      try await browser.click(text: "First")
      try await browser.expect("document.body.textContent.includes('row 0')", "true")
    }
  }

  struct ManyRows: View {
    let isTable: Bool
    var body: Element {
      Text("rows").style(.title)
      if isTable {
        Table([TableColumn("row")]) {
          ForEach(0..<1_000_000, id: \.self) { row in TableRow { Text("row \(row)") } }
        }
      } else {
        ForEach(0..<1_000_000, id: \.self) { row in
          TextField("row \(row)", text: .constant("text \(row)"), id: "row \(row)")
        }
      }
    }
  }

  @Test func `what is entered before the script is there is sent`() async throws {
    try await inBrowser { browser, world, address in
      _ = try await browser.tools("Network.enable", [:])
      _ = try await browser.tools("Network.setBlockedURLs", ["urls": ["*signals.js*"]])
      try await browser.open(address)
      try await browser.expect("document.documentElement.className", "")
      try await browser.run("\(field("row 1")).select()")
      try await browser.press("early")
      try await browser.run("document.querySelectorAll('[type=radio]')[2].click()")
      _ = try await browser.tools("Network.setBlockedURLs", ["urls": [String]()])
      await MainActor.run { world.texts[2].value = "theirs" }
      #expect(await MainActor.run { world.texts[1].value } == "text 1")
      try await browser.run(
        "const script = document.createElement('script'); "
          + "script.src = document.querySelector('script').src; document.head.append(script)")
      try await expect("early") { world.texts[1].value }
      try await expect("c") { world.choice.value }
      try await browser.expect("\(field("row 2")).value", "theirs")
    }
  }

  @Test func `where scripts are switched off, the page works by forms`() async throws {
    try await inBrowser(by: .forms) { browser, world, _ in
      try await browser.run("\(field("row 1")).select()")
      try await browser.press("typed")
      try await browser.click(text: "Add")
      try await browser.expect("document.querySelector('p').textContent", "count 1")
      try await browser.expect("\(field("row 1")).value", "typed")
      try await expect("typed") { world.texts[1].value }
    }
  }

  @Test func `what is typed while a socket is closed is sent once by the next`() async throws {
    try await inBrowser { browser, world, _ in
      for count in 1...5 {
        try await browser.run("\(field("row 1")).select()")
        // The first message may have arrived, without an answer.
        try await browser.run(
          "const press = () => [...document.querySelectorAll('button')]"
            + ".find(x => x.textContent == 'Add').click(); press(); source.close(); press()")
        try await browser.press("text \(count)")
        try await expect("text \(count)") { world.texts[1].value }
        try await browser.expect("document.querySelector('p').textContent", "count \(2 * count)")
        try await browser.expect("source.readyState", "1")
      }
    }
  }

  @Test func `where no socket can be opened any more, events and requests carry the page`()
    async throws
  {
    try await inBrowser { browser, world, _ in
      // The first message may have arrived, without an answer.
      try await browser.run(
        "window.isCut = window.isSame = true; const press = () => "
          + "[...document.querySelectorAll('button')].find(x => x.textContent == 'Add').click(); "
          + "press(); source.close(); press()")
      try await expect("2") { "\(world.count.value)" }
      try await browser.run("\(field("row 1")).select()")
      try await browser.press("typed")
      try await expect("typed") { world.texts[1].value }
      await MainActor.run { world.texts[2].value = "meanwhile" }
      try await browser.expect("\(field("row 2")).value", "meanwhile")
      try await browser.expect("isSame", "true")
    }
  }

  @Test func `a table whose first rows show nothing is scrolled through`() async throws {
    let rows = Signal(0)
    try await inBrowser({
      Column {
        Button("Add") { rows.value += 1 }
        Text("count \(rows.value)")
        Table([TableColumn("row")]) {
          ForEach(0..<1000, id: \.self) { row in
            if row >= 500 { TableRow { Text("row \(row)") } }
          }
        }
      }.element
    }) { browser, _ in
      try await browser.click(text: "Add")
      try await browser.expect("document.querySelector('p').textContent", "count 1")
      // The first of the last rows comes into view, and the rows around it soon replace the others.
      try await browser.run(
        "window.isSeen = false; new MutationObserver(() => "
          + "isSeen ||= document.body.textContent.includes('row 999'))"
          + ".observe(document.body, {childList: true, subtree: true})")
      try await browser.click(text: "Last")
      try await browser.expect("isSeen", "true")
    }
  }

  @Test func `a page that has sent what isn't a message goes on without it`() async throws {
    try await inBrowser { browser, world, _ in
      try await browser.run("window.isSame = true; window.old = source; source.send('do=tap.x')")
      try await browser.expect("source != old && source.readyState", "1")
      try await browser.click(text: "Add")
      try await browser.expect("document.querySelector('p').textContent", "count 1")
      try await browser.expect("window.isSame", "true")
    }
  }

  @Test func `a socket is only for a page of the visitor, and for the site itself`() throws {
    var head = HTTPRequestHead(
      version: .http1_1, method: .GET, uri: "/live/app?page=p&after=3",
      headers: [
        "host": "a.b:80", "origin": "http://a.b:80", "cookie": "x=1; signals=s; y=2",
        "upgrade": "WebSocket", "sec-websocket-version": "13", "sec-websocket-key": "k",
      ])
    let site = try SiteOrigin(nil, host: "0.0.0.0", isSecure: false)
    let request = try #require(SocketRequest(head, to: site))
    #expect(request.secret == "s" && request.app == "app")
    #expect(request.page == "p" && request.after == 3)
    for origin in ["http://evil.example", "http://evil.a.b:80", "null", ""] {
      head.headers.replaceOrAdd(name: "origin", value: origin)
      #expect(SocketRequest(head, to: site) == nil, "\(origin)")
    }
    head.headers.replaceOrAdd(name: "origin", value: "http://a.b:80")
    head.headers.replaceOrAdd(name: "sec-fetch-site", value: "cross-site")
    #expect(SocketRequest(head, to: site) == nil)
    head.headers.remove(name: "sec-fetch-site")
    for cookie in ["=", "", ";", "signals", "signals=", " = ; =s", "signals;=;"] {
      head.headers.replaceOrAdd(name: "cookie", value: cookie)
      #expect(try #require(SocketRequest(head, to: site)).secret == nil, "\(cookie)")
    }
    for name in ["upgrade", "sec-websocket-version", "sec-websocket-key"] {
      let values = head.headers[name]
      head.headers.replaceOrAdd(name: name, value: "12")
      #expect(name.hasSuffix("key") || SocketRequest(head, to: site) == nil)
      head.headers.remove(name: name)
      #expect(SocketRequest(head, to: site) == nil)
      values.forEach { head.headers.add(name: name, value: $0) }
    }
    head.headers.replaceOrAdd(name: "content-length", value: "1")
    #expect(SocketRequest(head, to: site) == nil)
    head.headers.remove(name: "content-length")
    head.headers.remove(name: "origin")
    #expect(SocketRequest(head, to: site) == nil)
  }

  @Test func `what is typed while requests fail is sent when they succeed`() async throws {
    try await inBrowser(by: .events) { browser, world, _ in
      try await browser.run("window.original = fetch; window.fetch = () => Promise.reject()")
      try await browser.run("\(field("row 1")).focus()")
      try await browser.press("!")
      try await browser.click(text: "Add")
      await MainActor.run { world.texts[2].value = "meanwhile" }
      try await browser.expect("\(field("row 2")).value", "meanwhile")
      #expect(await MainActor.run { world.count.value } == 0)
      try await browser.run("window.fetch = window.original")
      try await browser.expect("document.querySelector('p').textContent", "count 1")
      #expect(await MainActor.run { world.texts[1].value } == "!text 1")
    }
  }

  @Test(arguments: [Transport.socket, .events])
  func `a page that the site has forgotten goes on, and says that a press may be lost`(
    transport: Transport
  ) async throws {
    try await inBrowser(by: transport) { browser, world, address in
      try await browser.run("window.isSame = true; window.other = fetch('\(address)')")
      for _ in 0..<8 { try await browser.run("other = other.then(() => fetch('\(address)'))") }
      try await browser.run("other.then(() => window.isForgotten = true)")
      try await browser.expect("window.isForgotten", "true")
      try await browser.run(
        "const e = \(field("row 1")); e.focus(); e.value = 'typed'; "
          + "e.dispatchEvent(new Event('input', {bubbles: true})); "
          + "[...document.querySelectorAll('button')].find(x => x.textContent == 'Add').click()")
      try await browser.expect("\(field("row 1")).value", "typed")
      try await expect("typed") { world.texts[1].value }
      try await browser.expect(
        "document.querySelector('[role=alert]')?.textContent.includes('last button')", "true")
      #expect(await MainActor.run { world.count.value } == 0)
      try await browser.click(text: "Add")
      try await browser.expect("document.querySelector('p').textContent", "count 1")
      try await browser.expect("document.querySelector('[role=alert]')", "null")
      try await browser.expect("window.isSame", "true")
    }
  }

  @Test func `a press while another page is asked for is mentioned, and isn't used`() async throws {
    try await inBrowser { browser, world, address in
      try await browser.run(
        "window.isSame = true; window.asked = 0; const fetched = fetch; "
          + "window.fetch = (...a) => a[1] ? new Promise(done => { window.asked++; window.go = done })"
          + ".then(() => fetched(...a)) : fetched(...a); let other = Promise.resolve(); "
          + "for (let i = 0; i < 9; i++) other = other.then(() => fetch('\(address)')); "
          + "other.then(() => window.isForgotten = true)")
      try await browser.expect("window.isForgotten", "true")
      try await browser.run("\(field("row 1")).select()")
      try await browser.press("t")
      try await browser.expect("asked", "1")
      try await browser.press("yped")
      try await browser.click(text: "Add")
      // The tab is hidden and shown; a connection by the old name would ask for yet another page.
      try await browser.run("document.dispatchEvent(new Event('visibilitychange')); go()")
      // It is told about the press.
      try await browser.expect("asked", "2")
      try await browser.run("go()")
      try await browser.expect(
        "document.querySelector('[role=alert]')?.textContent.includes('last button')", "true")
      try await expect("typed") { world.texts[1].value }
      #expect(await MainActor.run { world.count.value } == 0)
      try await browser.click(text: "Add")
      try await browser.expect("document.querySelector('p').textContent", "count 1")
      try await browser.expect("[asked, isSame].join()", "2,true")
    }
  }

  struct Long: View {
    @State private var notes = ["", "", ""]
    @State private var count = 0

    var body: Element {
      Text("\(notes.map { "\($0.count)" }.joined(separator: " ")), count \(count)")
      TextEditor("First", text: $notes[0])
      TextEditor("Second", text: $notes[1])
      TextEditor("Third", text: $notes[2])
      Button("Add") { count += 1 }
    }
  }

  @Test func `a text that is too long for a message is named, and isn't lost in silence`()
    async throws
  {
    try await inBrowser({ Long().element }) { browser, _ in
      let text = "document.querySelector('p').textContent"
      func enter(_ count: Int, into label: String) async throws {
        try await browser.run(
          "const e = \(field(label)); e.focus(); e.value = 'a'.repeat(\(count)); "
            + "e.dispatchEvent(new Event('input', {bubbles: true}))")
      }
      try await browser.run("window.isSame = true")
      try await enter(40_000, into: "First")
      try await browser.expect("\(field("First")).validationMessage.includes('too long')", "true")
      // Nothing is pressed without the text.
      try await browser.click(text: "Add")
      try await enter(10, into: "Second")
      try await browser.expect(text, "0 10 0, count 0")
      try await browser.expect("\(field("First")).value.length", "40000")
      try await enter(30_000, into: "First")
      try await browser.expect("\(field("First")).validationMessage", "")
      try await browser.click(text: "Add")
      try await browser.expect(text, "30000 10 0, count 1")
      try await browser.expect("window.isSame", "true")
    }
  }

  @Test func `long texts that were typed without a connection are sent one after the other`()
    async throws
  {
    try await inBrowser({ Long().element }) { browser, _ in
      try await browser.run(
        "window.isSame = true; isCut = 1; source.close(); window.fetch = () => Promise.reject();"
          + "EventSource = class { readyState = 2; constructor() { isAway = 1 } close() {} }; isAway = 0"
      )
      for label in ["First", "Second", "Third"] {
        try await browser.run(
          "const e = \(field(label)); e.value = 'a'.repeat(20000); "
            + "e.dispatchEvent(new Event('input', {bubbles: true}))")
      }
      try await browser.click(text: "Add")
      // A socket that is still being opened would end in events, which this page hasn't any more.
      try await browser.expect("isAway", "1")
      try await browser.run("isCut = 0; document.dispatchEvent(new Event('visibilitychange'))")
      try await browser.expect(
        "document.querySelector('p').textContent", "20000 20000 20000, count 1")
      try await browser.expect("window.isSame", "true")
    }
  }
}
