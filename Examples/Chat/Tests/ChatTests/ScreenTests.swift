import ChatApp
import ChatModel
import Foundation
import Signals
import SignalsSync
import SignalsTesting
import Testing

@MainActor @Suite struct `The chat's screens` {
  private let hub = Hub()

  /// Shows the app to a user who registers.
  private func app(_ user: String) async throws -> TestHost {
    let device = hub.device()
    let app = try TestHost(Store(), named: user) { ChatScreen(device) }
    try app.type(user, into: "name")
    try app.type("sesame street", into: "password")
    try await app.host.performAsync(.id("register"))
    try await shows("No conversations yet.", app)
    try await eventually {
      device.session?.me != nil && device.session?.replica.pendingCount == 0
    }
    return app
  }

  private func shows(
    _ text: String, _ app: TestHost, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await eventually("\(text) in:\n\(app.text)", sourceLocation: sourceLocation) {
      app.text.contains(text)
    }
  }

  /// Begins a conversation with other users.
  private func begin(_ name: String, in app: TestHost, with others: String...) async throws {
    try app.tap("new")
    try app.type(name, into: "name")
    for other in others {
      try await eventually("\(other) is listed") { app.exists("add-\(other)") }
      try app.tap("add-\(other)")
    }
    try app.tap("save")
  }

  @Test func `a wrong password is told, and typed again`() async throws {
    _ = try await hub.device("rod")
    let device = hub.device()
    let app = try TestHost(Store()) { ChatScreen(device) }
    try app.type("rod", into: "name")
    try app.type("a guess at it", into: "password")
    await #expect(throws: SignInError.wrongPassword) {
      try await app.host.performAsync(.id("sign-in"))
    }
    #expect(
      app.text == """
        Chat
        Name: [rod]
        Password: []
        [Sign in]  [Register]
        there is no such user, or the password is wrong
        """)
    try app.type("sesame street", into: "password")
    try await app.host.performAsync(.id("sign-in"))
    try await shows("No conversations yet.", app)
  }

  @Test func `three people talk: unread messages, typing, and who is there`() async throws {
    let (rod, jane) = (try await app("rod"), try await app("jane"))
    defer { withExtendedLifetime(jane) {} }
    try await begin("Sample chat", in: rod, with: "jane")
    try await shows("[Sample chat]", jane)
    try rod.type("Hello", into: "message")
    try rod.submit("message")
    try rod.type("Anybody?", into: "message")
    try rod.tap("send")
    try await shows("2 new messages  ● rod", jane)
    try jane.open("Sample chat")
    try await shows("rod  Anybody?", jane)
    try jane.type("I'm", into: "message")
    try await shows("jane is typing…", rod)
    try jane.tap("send")
    try await shows("jane  I'm", rod)
    try await eventually { !rod.text.contains("typing") && !rod.text.contains("not sent") }
    try jane.tap("back")
    #expect(!jane.text.contains("new message"))
    try rod.tap("back")
    let freddy = try await app("freddy")
    #expect(!freddy.text.contains("Sample chat"))
  }

  @Test func `a new conversation refuses a person twice, and needs a name and people`() async throws
  {
    let (rod, jane) = (try await app("rod"), try await app("jane"))
    defer { withExtendedLifetime(jane) {} }
    try rod.tap("new")
    #expect(try rod.find("save").isEnabled == false)
    try rod.type("Tea", into: "name")
    #expect(try rod.find("save").isEnabled == false)
    try await eventually { rod.exists("add-jane") }
    #expect(!rod.exists("add-rod"))
    try rod.type("JA", into: "search")
    try rod.tap("add-jane")
    #expect(throws: ChatError.alreadyMember("jane")) { try rod.tap("add-jane") }
    #expect(rod.text.contains("jane is already part of this chat"))
    try rod.tap("remove-jane")
    #expect(try rod.find("save").isEnabled == false)
    try rod.tap("add-jane")
    try rod.tap("save")
    #expect(rod.text.hasPrefix("Tea  [Members]"))
    try rod.tap("back")
    #expect(rod.text.contains("[Tea]"))
  }

  @Test func `a profile is saved as a whole, or not at all`() async throws {
    let (rod, jane) = (try await app("rod"), try await app("jane"))
    defer { withExtendedLifetime(jane) {} }
    try rod.tap("profile")
    try rod.type("Rod Burton", into: "display-name")
    try rod.tap("cancel")
    #expect(rod.text.hasPrefix("rod\n"))
    try rod.tap("profile")
    #expect(rod.text.contains("Name: []"))
    try rod.type(String(repeating: "x", count: 201), into: "display-name")
    #expect(throws: ChatError.nameTooLong) { try rod.tap("save") }
    #expect(rod.text.contains("the name is too long"))
    try rod.type("Rod Burton", into: "display-name")
    try rod.toggle("hidden", to: true)
    try rod.tap("save")
    try await shows("Rod Burton", rod)
    try await begin("Tea", in: jane, with: "rod")
    try jane.tap("back")
    try await shows("○ Rod Burton", jane)
  }

  @Test func `members are added, renamed and removed on screen, and leave`() async throws {
    let (rod, jane, freddy) = (
      try await app("rod"), try await app("jane"), try await app("freddy")
    )
    try await begin("Tea", in: rod, with: "jane")
    try await shows("[Tea]", jane)
    try jane.open("Tea")
    try jane.tap("members")
    #expect(!jane.exists("remove-rod"))
    try jane.type("fre", into: "search")
    try await eventually { jane.exists("add-freddy") }
    try jane.tap("add-freddy")
    try await shows("[Tea]", freddy)
    try jane.type("Coffee", into: "name")
    try jane.tap("rename")
    try await shows("[Coffee]", freddy)
    try rod.tap("members")
    try await eventually { rod.exists("remove-freddy") }
    try rod.tap("remove-freddy")
    try await shows("No conversations yet.", freddy)
    try jane.tap("leave")
    try await shows("No conversations yet.", jane)
  }

  @Test func `a draft stays with its conversation`() async throws {
    let (rod, jane) = (try await app("rod"), try await app("jane"))
    defer { withExtendedLifetime(jane) {} }
    try await begin("Tea", in: rod, with: "jane")
    try rod.type("half a mess", into: "message")
    try rod.tap("back")
    try await begin("Coffee", in: rod, with: "jane")
    #expect(rod.text.contains("Message: []"))
    try rod.tap("back")
    try rod.open("Tea")
    #expect(rod.text.contains("Message: [half a mess]"))
  }

  @Test func `signing out is asked for, and the next user sees nothing of the first`() async throws
  {
    let (rod, jane) = (try await app("rod"), try await app("jane"))
    defer { withExtendedLifetime(jane) {} }
    try await begin("Tea", in: rod, with: "jane")
    try rod.tap("back")
    try rod.tap("sign-out")
    #expect(rod.text.hasPrefix("Sign out?"))
    try rod.tap("cancel")
    #expect(rod.text.contains("[Tea]"))
    try rod.tap("sign-out")
    try await rod.host.performAsync(.id("confirm"))
    #expect(rod.text.hasPrefix("Chat\nName: [rod]\nPassword: []"))
    try rod.type("freddy", into: "name")
    try rod.type("sesame street", into: "password")
    try await rod.host.performAsync(.id("register"))
    try await shows("No conversations yet.", rod)
    #expect(!rod.text.contains("Tea"))
  }

  @Test func `an empty list says whether the conversations have arrived`() async throws {
    let device = hub.device()
    let app = try TestHost(Store()) { ChatScreen(device) }
    try app.type("rod", into: "name")
    try app.type("sesame street", into: "password")
    try await app.host.performAsync(.id("register"))
    try await shows("No conversations yet.", app)
    let replica = try #require(device.session?.replica)
    replica.disconnect()
    try await shows("Your conversations appear when there is a connection.", app)
  }

  @Test func `a member who is removed sees so, and can't write further`() async throws {
    let (rod, jane) = (try await app("rod"), try await app("jane"))
    try await begin("Tea", in: rod, with: "jane")
    try await shows("[Tea]", jane)
    try jane.open("Tea")
    try rod.tap("members")
    try rod.tap("remove-jane")
    try await shows("You aren't part of this conversation.", jane)
    #expect(!jane.exists("message"))
  }

  @Test func `in a browser that several use, drafts are those of the user`() async throws {
    let device = hub.device()
    let (own, visitor) = (Store(), Store())
    let app = try TestHost(own) {
      ChatScreen(device).environment(\.restorationStore, visitor)
    }
    func signIn(_ user: String, _ button: String) async throws {
      try app.type(user, into: "name")
      try app.type("sesame street", into: "password")
      try await app.host.performAsync(.id(button))
      try await eventually {
        device.session?.me != nil && device.session?.store === device.session?.me?.store
      }
    }
    try await signIn("rod", "register")
    try app.tap("new")
    try app.type("A secret", into: "name")
    try app.tap("cancel")
    try app.tap("new")
    try app.type("Another secret", into: "name")
    app.host.open("/")
    try app.tap("sign-out")
    try await app.host.performAsync(.id("confirm"))
    try await signIn("jane", "register")
    try app.tap("new")
    #expect(app.text.hasPrefix("New conversation\nName: []"))
  }

  @Test func `a deleted account is gone for others, and its name stays taken`() async throws {
    let (rod, jane) = (try await app("rod"), try await app("jane"))
    try await begin("Tea", in: rod, with: "jane")
    try await shows("[Tea]", jane)
    try jane.tap("profile")
    try jane.tap("delete")
    try jane.tap("keep")
    try jane.tap("delete")
    try await jane.host.performAsync(.id("confirm"))
    try await shows("[Register]", jane)
    try rod.tap("members")
    try await eventually { !rod.text.contains("jane") }
    try jane.type("jane", into: "name")
    try jane.type("sesame street", into: "password")
    await #expect(throws: SignInError.wrongPassword) {
      try await jane.host.performAsync(.id("sign-in"))
    }
    try jane.type("sesame street", into: "password")
    await #expect(throws: SignInError.nameTaken("jane")) {
      try await jane.host.performAsync(.id("register"))
    }
  }

  @Test func `older messages are shown on demand`() async throws {
    let (rod, jane) = (try await app("rod"), try await app("jane"))
    defer { withExtendedLifetime(jane) {} }
    try await begin("Tea", in: rod, with: "jane")
    for number in 1...320 {
      try rod.type("message \(number)", into: "message")
      try rod.tap("send")
    }
    #expect(rod.text.contains("message 271 ") && !rod.text.contains("message 270 "))
    try await eventually { !rod.text.contains("not sent") }
    // Those before 201 are in pages that aren't joined.
    for first in [221, 171, 121, 71, 21] {
      try rod.tap("older")
      try await shows("message \(first) ", rod)
      #expect(!rod.text.contains("message \(first - 1) "))
    }
    try rod.tap("older")
    try await shows("message 1 ", rod)
    #expect(!rod.exists("older") && !rod.text.contains("Loading"))
    try rod.type("the last", into: "message")
    try rod.tap("send")
    try await shows("the last ", rod)
    let lines = rod.text.split(separator: "\n").filter { $0.contains("message ") }
    #expect(lines.count == 320)
  }
}

extension TestHost {
  /// Opens the conversation with a name.
  fileprivate func open(_ name: String) throws { try tap(find(.link, text: name)) }
}
