import Foundation
import Signals
import Testing

@testable import SignalsHTML

/// Sessions that continue lost ones, from what pages have carried.
@Suite struct `Lost sessions` {
  private struct Screen: View {
    @Restored("query") var query = ""
    @State private var note = ""
    @State private var count = 0

    var body: Element {
      TextField("Query", text: $query)
      TextField("Note", text: $note)
      Button("count \(count)", id: "add") { count += 1 }
      Text("query \(query), note \(note)")
    }
  }

  /// A seal that anyone can read; what begins otherwise isn't sealed.
  private static let seal = HTMLStateSeal { snapshot in
    guard let data = try? JSONEncoder().encode(snapshot), data.count < 4000 else { return nil }
    return "sealed:" + data.base64EncodedString()
  } open: { text in
    guard text.hasPrefix("sealed:"), let data = Data(base64Encoded: String(text.dropFirst(7)))
    else { return nil }
    return try? JSONDecoder().decode(Snapshot.self, from: data)
  }

  private func session(live: String? = nil, state: String? = nil) throws -> HTMLSession {
    let body =
      "state=\((state ?? "").addingPercentEncoding(withAllowedCharacters: .alphanumerics)!)"
    let carried = try HTMLRenewal(Array(body.utf8)).state(in: Self.seal)
    return HTMLSession(Store(), title: "App", live: live, seal: Self.seal, state: carried) {
      Screen()
    }
  }

  private func state(_ browser: TestBrowser) throws -> String {
    try #require(try browser.only("//input[@name='state']")["value"])
  }

  @Test func `a session continues another one with its restored values and names`() throws {
    let old = try TestBrowser(try session())
    try old.type("dune", into: "Query")
    try old.press("Apply")
    let session = try session(state: try state(old))
    let new = try TestBrowser(session)
    #expect(new.main.contains("query dune"))
    #expect(try new.all("//*[@id]").map { $0["id"] } == old.all("//*[@id]").map { $0["id"] })
    #expect(try new.only("//input[@name='token']")["value"] == old.session.token)
  }

  @Test(arguments: ["", "sealed:", "sealed:e30=", "forged", nil])
  func `a state that the site hasn't sealed continues nothing`(state: String?) throws {
    let session = try session(state: state)
    #expect(try TestBrowser(session).main.contains("query , note"))
  }

  @Test func `a page carries the present state, as soon as it changes`() throws {
    let session = try session(live: "/live")
    let page = try ScriptedPage(session)
    let before = try #require(session.sealedState)
    page.enter("dune", into: try page.control("Query"))
    try page.send(page.message())
    try page.update()
    let after = page.form.all.first { $0.attributes["name"] == "state" }?.attributes["value"]
    #expect(after != before && after == session.sealedState)
    #expect(page.description == (try page.expected(session)))
  }

  @Test func `a form of a lost session is entered, and its button isn't used`() throws {
    let old = try TestBrowser(try session())
    try old.type("dune", into: "Query")
    try old.press("count 0")
    try old.type("unsent", into: "Note")
    let button = try #require(try old.all("//button").first { $0.text == "count 1" }?["value"])
    let renewal = try HTMLRenewal(Array(try old.body(button).utf8))
    let session = try session(state: try state(old))
    try session.enter(renewal, at: "/")
    let new = try TestBrowser(session)
    #expect(new.main.contains("query dune, note unsent"))
    #expect(new.main.contains("count 0"))
    #expect(try new.texts("//p[@role='alert']").first?.contains("press the button again") == true)
    // The form may arrive twice.
    try session.enter(renewal, at: "/")
    try new.load()
    #expect(new.main.contains("query dune, note unsent"))
  }

  @Test func `a live page continues with its restored values and typed text`() throws {
    let old = try session(live: "/live")
    let page = try ScriptedPage(old)
    page.enter("dune", into: try page.control("Query"))
    try page.send(page.message())
    try page.update()
    page.enter("unsent", into: try page.control("Note"))
    let session = try session(
      live: "/live",
      state: page.form.all.first { $0.attributes["name"] == "state" }?.attributes["value"])
    let renewed = try #require(try session.renew(try renewal(of: page, in: session)))
    let new = try ScriptedPage(page, continuedBy: renewed, of: session)
    renewed.resume(after: -1)
    try new.update()
    try new.send(new.message())
    try new.update()
    #expect(new.description == (try new.expected(session)))
    #expect(new.description.contains("query dune, note unsent"))
  }

  private func renewal(
    of page: ScriptedPage, in session: HTMLSession, token: String? = nil, script: String? = nil
  ) throws -> HTMLRenewal {
    let script = script ?? "http://localhost\(session.script)"
    let pairs = [
      ("token", token ?? session.token), ("script", script), ("open", "/"), ("state", ""),
    ]
    let body = pairs.map {
      "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics)!)"
    }
    return try HTMLRenewal(Array(body.joined(separator: "&").utf8))
  }

  @Test func `a page with another version of the script is loaded`() throws {
    let session = try session(live: "/live")
    let page = try ScriptedPage(session)
    #expect(
      try session.renew(
        try renewal(of: page, in: session, script: "http://localhost/signals.js?v=1"))
        == nil)
    #expect(try session.renew(try renewal(of: page, in: session)) != nil)
    try page.update()
    #expect(!page.description.contains("connection was lost"))
  }

  @Test func `a press that may be lost is mentioned, until the next one`() throws {
    let session = try session(live: "/live")
    let page = try ScriptedPage(session)
    let pairs =
      "token=\(session.token)&script=\(session.script.replacing("=", with: "%3D"))&open=%2F"
    _ = try session.renew(HTMLRenewal(Array("\(pairs)&lost=1".utf8)))
    try page.update()
    #expect(page.description.contains("whether the last button was used"))
    try page.send(page.message(("do", try page.button("count 0"))))
    try page.update()
    #expect(!page.description.contains("whether the last button was used"))
    #expect(page.description.contains("count 1"))
  }

  @Test func `a request without the secret of the session gets no page`() throws {
    let session = try session(live: "/live")
    let page = try ScriptedPage(session)
    #expect(throws: HTMLFormError.foreign) {
      try session.renew(try renewal(of: page, in: session, token: "guessed"))
    }
    let form = try HTMLRenewal(Array("token=guessed&do=".utf8))
    #expect(throws: HTMLFormError.foreign) { try session.enter(form, at: "/") }
  }

  @Test func `a field that isn't on the new screen doesn't keep the others from being entered`()
    throws
  {
    let old = try TestBrowser(try session())
    // It comes before the fields that are there.
    try old.type("unsent", into: "Note")
    let text = "aaaa.bbbb=lost&" + (try old.body(""))
    let session = try session(state: try state(old))
    try session.enter(try HTMLRenewal(Array(text.utf8)), at: "/")
    let new = try TestBrowser(session)
    #expect(new.main.contains("note unsent"))
    #expect(try new.texts("//p[@role='alert']").count == 1)
  }

  @Test func `an error doesn't hide that something may be lost`() throws {
    let session = try session(live: "/live")
    let page = try ScriptedPage(session)
    try page.send(page.message(("do", "tap.unknown")))
    let pairs =
      "token=\(session.token)&script=\(session.script.replacing("=", with: "%3D"))&open=%2F"
    _ = try session.renew(HTMLRenewal(Array("\(pairs)&lost=1".utf8)))
    try page.update()
    #expect(page.description.contains("The screen has changed"))
    #expect(page.description.contains("whether the last button was used"))
  }

  @Test func `names are hashes that other keys don't give`() {
    let names = (0..<2).map { _ in PageNames(PageKey.of(Store())) }
    #expect(names[0].name(ofValue: "a") != names[1].name(ofValue: "a"))
    #expect(names[0].name(ofValue: "a") == names[0].name(ofValue: "a"))
    #expect(names[0].token != names[1].token)
  }

  @Test func `the keyed hash is SipHash-1-3`() {
    // The first of the published values for a key of the bytes from 0 to 15.
    var hash = KeyedHash((0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908))
    #expect(hash.finish() == 0xabac_0158_050f_c4dc)
  }

  @Test func `the keyed hash depends on each byte, the length and the key`() {
    func hash(_ bytes: [UInt8], _ key: (UInt64, UInt64) = (1, 2)) -> UInt64 {
      var hash = KeyedHash(key)
      for byte in bytes { hash.combine(byte) }
      return hash.finish()
    }
    var seen: Set<UInt64> = [hash([]), hash([], (2, 1)), hash([], (1, 3))]
    var count = seen.count
    for length in 1...40 {
      for place in 0..<length {
        var bytes = [UInt8](repeating: 0, count: length)
        seen.insert(hash(bytes))
        bytes[place] = 1
        seen.insert(hash(bytes))
      }
      count += length + 1
    }
    #expect(seen.count == count)
  }
}
