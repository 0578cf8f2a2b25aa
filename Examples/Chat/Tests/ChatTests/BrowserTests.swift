import BrowserTesting
import ChatApp
import ChatClient
import ChatModel
import ChatServer
import ChatWeb
import Foundation
import FoundationNetworking
import Signals
import SignalsSync
import SignalsTesting
import Site
import Testing

@MainActor @Suite(.enabled(if: BrowserDriver.path != nil, "Chromium isn't installed"))
struct `The chat in a browser` {
  /// Registers on the first page.
  private nonisolated func register(_ user: String, in browser: Browser, at site: String)
    async throws
  {
    try await browser.open("\(site)/chat")
    try await browser.type(user, into: "Name")
    try await browser.type("sesame street", into: "Password")
    try await browser.click(text: "Register")
    try await browser.expect("document.querySelector('h1').textContent", user)
  }

  @Test func `two people in two browsers see each other's messages, typing and presence`()
    async throws
  {
    let world = Hub()
    try await Site([world.hub.app], sockets: [world.hub.socket]).inBrowsers(2) { browsers, site in
      let (rod, jane) = (browsers[0], browsers[1])
      try await register("rod", in: rod, at: site)
      try await register("jane", in: jane, at: site)
      try await rod.click(text: "New conversation")
      try await rod.expect("document.querySelector('h1').textContent", "New conversation")
      try await rod.type("Tea", into: "Name")
      try await rod.waitFor("jane")
      try await rod.click(text: "jane")
      // The button is disabled before.
      try await rod.waitFor("Remove")
      try await rod.click(text: "Save")
      try await rod.expect("document.querySelector('h1').textContent", "Tea")
      try await rod.type("Hello Jane", into: "Message")
      try await rod.send()
      try await jane.waitFor("1 new message")
      try await jane.waitFor("● rod")
      try await jane.screenshot("chat-list")
      try await jane.click(text: "Tea")
      try await jane.waitFor("Hello Jane")
      try await jane.type("Hello R", into: "Message")
      try await rod.waitFor("jane is typing…")
      try await jane.type("od", into: "Message")
      try await jane.send()
      try await rod.waitFor("Hello Rod")
      try await rod.expect("document.body.textContent.includes('typing')", "false")
      try await rod.expect("document.body.textContent.includes('not sent')", "false")
      try await rod.screenshot("chat-room")
      // The address leads back to the conversation, and the session is that of the browser.
      let address: String = try await rod.value(of: "location.href")
      try await rod.open(address)
      try await rod.waitFor("Hello Rod")
      try await jane.open(address)
      try await jane.waitFor("Hello Rod")
    }
  }

  @Test func `a device and a browser of two people share a conversation`() async throws {
    let world = Hub()
    try await Site([world.hub.app], sockets: [world.hub.socket]).inBrowsers(1) { browsers, site in
      let rod = browsers[0]
      try await register("rod", in: rod, at: site)
      try await Task { @MainActor in
        let device = ChatDevice(service: try RemoteChat(site)) { _ in
          Replica(sharing: Partitions.classes)
        }
        await #expect(throws: SignInError.wrongPassword) {
          try await device.signIn(Credentials(name: "jane", password: "sesame street"))
        }
        try await device.register(Credentials(name: "jane", password: "sesame street"))
        let connecting = Task { await device.stayConnected() }
        let session = try #require(device.session)
        try await wait { session.me != nil && session.chatter("rod") != nil }
        let tea = try Conversation.begin("Tea", by: "jane", with: ["rod"], in: session.store)
        try tea.send("from a terminal", by: "jane", at: Date())
        try await wait { session.replica.pendingCount == 0 }
        try await rod.waitFor("1 new message")
        try await rod.click(text: "Tea")
        try await rod.type("from a browser", into: "Message")
        try await rod.send()
        try await wait { session.lastMessage(of: tea)?.text == "from a browser" }
        // A photo, which only members get.
        let photo = Photo()
        (photo.title, photo.bytes) = ("dot.png", Array(try #require(Data(base64Encoded: dot))))
        try tea.send("", photo: photo, by: "jane", at: Date())
        try await rod.expect(
          "document.querySelector('img[alt=\"[photo: dot.png]\"]')?.naturalWidth", "1")
        let address: String = try await rod.value(of: "document.querySelector('img').src")
        let (_, stranger) = try await URLSession.shared.data(
          from: try #require(URL(string: address)))
        #expect((stranger as? HTTPURLResponse)?.statusCode == 404)
        try world.hub.accounts.signOutEverywhere("jane")
        try await wait { device.session == nil }
        #expect(device.status == "you were signed out")
        connecting.cancel()
      }.value
    }
  }
}

/// A PNG of one pixel, in base64.
private let dot = """
  iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
  """

extension Browser {
  /// Types into the field with a label, after what it has.
  fileprivate func type(_ text: String, into label: String) async throws {
    try await expect(
      "[...document.querySelectorAll('label')].some(l => l.textContent == '\(label)')", "true")
    let field =
      "[...document.querySelectorAll('label')].find(l => l.textContent == '\(label)').control"
    try await run("\(field).focus()")
    try await press(text)
  }

  /// Presses the button when it can be used, which it can't before something is typed.
  fileprivate func send() async throws {
    try await expect(
      "[...document.querySelectorAll('button')].find(b => b.textContent == 'Send').disabled",
      "false")
    try await click(text: "Send")
  }

  /// Waits until the page shows a text.
  fileprivate func waitFor(_ text: String, sourceLocation: SourceLocation = #_sourceLocation)
    async throws
  {
    try await expect(
      "document.body.innerText.includes('\(text)')", "true", sourceLocation: sourceLocation)
  }

  /// Keeps a picture of the page if the environment names a folder for it.
  fileprivate func screenshot(_ name: String) async throws {
    guard let folder = ProcessInfo.processInfo.environment["SIGNALS_PICTURES"] else { return }
    let answer = try await tools("Page.captureScreenshot", ["format": "png"]) as? [String: Any]
    let data = try #require((answer?["data"] as? String).flatMap { Data(base64Encoded: $0) })
    try data.write(to: URL(filePath: "\(folder)/\(name).png"))
  }
}
