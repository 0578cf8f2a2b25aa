import Foundation
import Signals
import SignalsReplay
import SignalsTesting
import TestSupport
import Testing

/// Addresses of screens as text.
@Suite struct `Addresses of screens` {
  @Test(arguments: ["vim", "g++/arm", "ä ö", "%2F", "?#&", "..", ".", "a.b", "👨‍👩‍👧", "\n\0", "\"<>"])
  func `a value is one part, whatever it contains`(_ name: String) {
    let address: ScreenAddress = "/packages/\(name)"
    #expect(address.parts == ["packages", name])
    #expect(address.part(after: "packages") == name && address.part(after: "other") == nil)
    let text = address.description
    #expect(ScreenAddress(text) == address)
    #expect(text.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "\"") })
    #expect(text.split(separator: "/").count == 2)
  }

  @Test(arguments: ["", "a", "https://a.b", "/%", "/%4", "/%zz", "/%ff", "/%C3"])
  func `text that is no address is refused`(_ text: String) {
    #expect(ScreenAddress(text) == nil)
  }

  @Test func `addresses are equal if their parts are, however their accents are encoded`() {
    let (one, other) = (ScreenAddress("/p/%C3%A9"), ScreenAddress("/p/e%CC%81"))
    #expect(one == other && Set([one, other]).count == 1)
    #expect(one != ScreenAddress("/p/e"))
  }

  @Test func `slashes at the end, twice, and queries make no difference`() {
    for text in ["/a/b", "/a/b/", "//a//b", "/a/b?c=d/e", "/a/b#f"] {
      #expect(ScreenAddress(text)?.parts == ["a", "b"], "\(text)")
    }
    #expect(ScreenAddress("/") == .first && ScreenAddress("/?a") == .first)
    #expect(ScreenAddress(parts: ["a", "", "b"]).description == "/a/b")
  }

  @Test func `an address that doesn't begin with a slash traps`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let address: ScreenAddress = "packages"
      print(address)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("\"packages\" is no address: it begins with /"))
  }

  @Test func `a stack is read from its description`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<100 {
      let addresses = (0..<3).map { _ in
        ScreenAddress(parts: [["a b", "", "/", "日"].randomElement(using: &random)!, "x"])
      }
      let text = addresses.map(\.description).joined(separator: " ")
      #expect(AddressStack(text)?.addresses == addresses)
      #expect(AddressStack(text)?.description == text)
    }
    #expect(AddressStack("") == nil && AddressStack("/ x") == nil)
  }
}

/// The address of a host's screen.
@Suite struct `Views, navigation` {
  private let store = Store()

  private struct Catalog: View {
    let key: String?
    @Navigation private var address
    @State private var fails = false

    init(_ key: String? = nil) {
      self.key = key
      _address = Navigation(restoredAs: key)
    }

    var body: Element {
      Text(address.part(after: "packages") ?? "all").style(.title)
      Hyperlink("Vim", opening: "/packages/vim")
      Hyperlink("Emacs", opening: "/packages/\("emacs")", id: "emacs")
      Button("Back", id: "back") { $address.goBack() }
      Button("First", id: "first") { $address.show("/") }
      Text("depth \($address.stack.addresses.count)", id: "depth")
      Button("Fail", id: "fail") {
        address = "/packages/none"
        throw Failed()
      }
    }

    struct Failed: Error {}
  }

  private func app(_ key: String? = nil) throws -> TestHost {
    try TestHost(store) { Catalog(key) }
  }

  @Test func `a link shows a screen, and there is a way back`() throws {
    let app = try app()
    #expect(app.host.frame.title == "all" && app.host.keys == [])
    try app.tap("Vim")
    try app.tap("emacs")
    #expect(app.host.frame.title == "emacs" && app.text.contains("depth 3"))
    #expect(app.host.addresses.description == "/ /packages/vim /packages/emacs")
    try app.tap("back")
    #expect(app.host.frame.title == "vim" && app.host.keys == ["escape"])
    try app.press("escape")
    #expect(app.host.frame.title == "all" && app.host.keys == [])
    try app.tap("back")
    #expect(app.host.addresses.addresses == [.first])
  }

  @Test func `a title may have its style from what contains it`() throws {
    struct Name: View { var body: Element { Text("of a view") } }
    let place = Signal(0)
    let app = try TestHost(store) {
      ForEach([1], id: \.self) { Text("row \($0)").style(.title) }
      if place.value == 1 { Row { Text("of a row") }.style(.title) }
      if place.value == 2 { Name().style(.title) }
      Text("own").style(.title)
    }
    #expect(app.host.frame.title == "own")
    place.value = 1
    #expect(app.host.frame.title == "of a row")
    place.value = 2
    #expect(app.host.frame.title == "of a view")
  }

  @Test func `the same screen isn't opened twice`() throws {
    let app = try app()
    try app.tap("Vim")
    try app.tap("Vim")
    #expect(app.host.addresses.addresses.count == 2)
    try app.tap("first")
    #expect(app.host.addresses.addresses == [.first])
  }

  @Test func `an address from outside goes back if it can, and forward if not`() throws {
    let app = try app()
    app.host.open("/packages/vim")
    app.host.open("/packages/emacs")
    app.host.open("/packages/vim")
    #expect(app.host.addresses.description == "/ /packages/vim")
    app.host.open("/")
    #expect(app.host.addresses.addresses == [.first] && app.host.frame.title == "all")
  }

  @Test func `an intent that throws takes its address back`() throws {
    let app = try app()
    #expect(throws: Catalog.Failed.self) { try app.tap("fail") }
    #expect(app.host.addresses.addresses == [.first] && app.host.frame.title == "all")
  }

  @Test func `escape is the way back only where nothing else has it`() throws {
    let log = Signal("")
    let isAsking = Signal(false)
    let app = try TestHost(store) {
      Column { Catalog() }.dialog("Sure?", isPresented: isAsking.binding) { Text("?") }
      if log.value == "" { Text("x").onKey("escape") { log.value = "own" } }
    }
    try app.tap("Vim")
    try app.press("escape")
    #expect(log.value == "own" && app.host.frame.title == "vim")
    isAsking.value = true
    #expect(app.host.frame.title == "Sure?")
    try app.press("escape")
    #expect(!isAsking.value && app.host.frame.title == "vim")
    try app.press("escape")
    #expect(app.host.frame.title == "all")
  }

  @Test func `a kept address is there in the next session, with its way back`() throws {
    var app = try app("place")
    try app.tap("Vim")
    try app.tap("emacs")
    app = try self.app("place")
    #expect(app.host.frame.title == "emacs")
    try app.press("escape")
    #expect(app.host.frame.title == "vim")
    let copy = try TestHost(Store(store.snapshot())) { Catalog("place") }
    #expect(copy.host.addresses.description == "/ /packages/vim")
    #expect(!store.canUndo, "where the user is isn't undone")
  }

  @Test func `an intent log has addresses from outside, and is replayed`() throws {
    let app = try app()
    app.host.intentLog = IntentLog(start: store.snapshot(), keepingScreens: true)
    app.host.open("/packages/emacs")
    try app.tap("Vim")
    try app.press("escape")
    app.host.open("/")
    let log = try #require(app.host.intentLog)
    let names = ["screen address", "link \"Vim\"", "key escape", "screen address"]
    #expect(log.entries.map(\.name) == names)
    let decoded = try JSONDecoder().decode(IntentLog.self, from: JSONEncoder().encode(log))
    let other = try self.app()
    try other.host.replay(decoded)
    #expect(other.host.addresses == app.host.addresses)
  }

  @Test func `each host has its own`() throws {
    let (one, other) = (try app(), try app())
    try one.tap("Vim")
    #expect(other.host.frame.title == "all")
  }
}
