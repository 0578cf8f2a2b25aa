import Signals
import Testing

@testable import SignalsHTML

/// What a session takes from its visitor: how long a message may be, and how many there may be.
@Suite struct `Limits of a session` {
  private let count = Signal(0)
  private let text = Signal("")
  private let start = ContinuousClock.now

  private func session(_ limits: HTMLLimits = HTMLLimits()) -> HTMLSession {
    let (count, text) = (count, text)
    return HTMLSession(Store(), title: "T", live: "/live", limits: limits) {
      TextField("Text", text: text.binding)
      Button("Add") { count.value += 1 }
    }
  }

  /// Sends the press of a button at a time after the start.
  private func press(_ page: ScriptedPage, after time: Duration) throws(HTMLFormError) {
    guard let button = try? page.button("Add") else { return }
    try page.page.receive(Array(page.message(("do", button)).utf8), at: start + time)
  }

  @Test func `the defaults are 32 kB a message, and 30 a second after a burst of 60`() {
    let limits = HTMLLimits()
    #expect(limits.messageLength == 32_768)
    #expect(limits.messagesPerSecond == 30)
    #expect(limits.burst == 60)
  }

  @Test func `a burst is used at once, and then as many as a second allows`() throws {
    let page = try ScriptedPage(session())
    for _ in 0..<60 { try press(page, after: .zero) }
    #expect(count.value == 60)
    for _ in 0..<3 {
      #expect(throws: HTMLFormError.tooMany(wait: .seconds(1) / 30)) {
        try press(page, after: .zero)
      }
    }
    #expect(count.value == 60)
    for second in 1...3 {
      for _ in 0..<30 { try press(page, after: .seconds(second)) }
      #expect(throws: HTMLFormError.self) { try press(page, after: .seconds(second)) }
    }
    #expect(count.value == 150)
    // A pause is worth a burst, and no more.
    for _ in 0..<60 { try press(page, after: .seconds(1000)) }
    #expect(throws: HTMLFormError.self) { try press(page, after: .seconds(1000)) }
  }

  @Test func `a message that had to wait is used when it is given again`() throws {
    let page = try ScriptedPage(session(HTMLLimits(messagesPerSecond: 10, burst: 1)))
    let (first, second) = (page.message(), page.message(("do", try page.button("Add"))))
    try page.page.receive(Array(first.utf8), at: start)
    #expect(throws: HTMLFormError.tooMany(wait: .milliseconds(70))) {
      try page.page.receive(Array(second.utf8), at: start + .milliseconds(30))
    }
    try page.page.receive(Array(second.utf8), at: start + .milliseconds(100))
    #expect(count.value == 1)
  }

  @Test func `the pages and forms of a session share what it takes`() throws {
    let session = session(HTMLLimits(messagesPerSecond: 1, burst: 2))
    let (first, second) = (try ScriptedPage(session), try ScriptedPage(session))
    try press(first, after: .zero)
    try press(second, after: .zero)
    #expect(throws: HTMLFormError.tooMany(wait: .seconds(1))) { try press(first, after: .zero) }
    let form = "token=\(session.token)&do=\(try first.button("Add"))"
    #expect(throws: HTMLFormError.tooMany(wait: .seconds(1))) {
      try session.submit(Array(form.utf8), at: start)
    }
    let renewal = try HTMLRenewal(Array("token=\(session.token)&open=/&script=a".utf8))
    #expect(throws: HTMLFormError.tooMany(wait: .seconds(1))) {
      try session.renew(renewal, at: start)
    }
    #expect(throws: HTMLFormError.tooMany(wait: .seconds(1))) {
      try session.enter(renewal, at: "/", now: start)
    }
    #expect(count.value == 2)
  }

  @Test func `a refused message is one of those that the visitor may send`() throws {
    let session = session(HTMLLimits(messagesPerSecond: 1, burst: 3))
    let page = try ScriptedPage(session)
    for body in ["%", "token=1", "token=\(session.token)"] {
      #expect(throws: HTMLFormError.self) { try page.page.receive(Array(body.utf8), at: start) }
    }
    #expect(throws: HTMLFormError.tooMany(wait: .seconds(1))) { try press(page, after: .zero) }
    try press(page, after: .seconds(1))
    #expect(count.value == 1)
  }

  @Test(arguments: ["", "x"])
  func `a field that is in a message twice is refused, so each is one intent`(shown: String) throws
  {
    let page = try ScriptedPage(session())
    let field = try #require(try page.control("Text").attributes["id"])
    let message = page.message() + "&\(field).=a&\(field).\(shown)=b"
    #expect(throws: HTMLFormError.malformed) { try page.page.receive(Array(message.utf8)) }
    #expect(text.value == "")
  }

  @Test func `fields that aren't on the page are kept nowhere`() throws {
    let page = try ScriptedPage(session())
    for number in 0..<50 {
      try page.page.receive(Array((page.message() + "&field\(number).=a").utf8), at: start)
    }
    #expect(page.page.entered.isEmpty)
  }

  @Test func `limits that are too great or too small are the nearest that can be`() {
    let limits = HTMLLimits(messageLength: .max, formLength: .max, messagesPerSecond: 0, burst: 0)
    #expect(
      limits
        == HTMLLimits(messageLength: 1 << 30, formLength: 1 << 30, messagesPerSecond: 1, burst: 1))
    #expect(HTMLLimits(messageLength: 0, formLength: 0).messageLength == 1000)
    #expect(HTMLLimits(messageLength: 0, formLength: 0).formLength == 1000)
  }

  @Test(arguments: [0, 1, 2, 3])
  func `a message that is too long is refused, and nothing of it is used`(excess: Int) throws {
    let page = try ScriptedPage(session(HTMLLimits(messageLength: 2000)))
    page.enter("", into: try page.control("Text"))
    let empty = page.message(("do", try page.button("Add"))).utf8.count
    // The last byte may be the end of one that is written as three.
    let value = String(repeating: "a", count: 2000 - empty - 3 + excess) + "<"
    page.enter(value, into: try page.control("Text"))
    let message = page.message(("do", try page.button("Add")))
    try #require(message.utf8.count == 2000 + excess)
    if excess == 0 {
      try page.page.receive(Array(message.utf8))
      #expect(text.value == value)
    } else {
      #expect(throws: HTMLFormError.tooLong(limit: 2000)) {
        try page.page.receive(Array(message.utf8))
      }
      #expect(text.value == "")
    }
    #expect(count.value == (excess == 0 ? 1 : 0))
  }

  @Test func `a form and the request of a lost page have a limit, too`() throws {
    let limits = HTMLLimits(messageLength: 1000, formLength: 1000)
    let session = session(limits)
    let body = Array(repeating: UInt8(ascii: "a"), count: 1001)
    #expect(throws: HTMLFormError.tooLong(limit: 1000)) { try session.submit(body) }
    #expect(throws: HTMLFormError.tooLong(limit: 1000)) { try HTMLRenewal(body, limits: limits) }
  }

  @Test func `a page says to its script how long a message may be`() {
    let page = String(decoding: session(HTMLLimits(messageLength: 4321)).page(), as: UTF8.self)
    #expect(page.contains("data-limit=\"4321\""))
  }

  @Test func `errors say what was exceeded`() {
    #expect("\(HTMLFormError.tooLong(limit: 9))" == "the request is longer than 9 bytes")
    #expect(
      "\(HTMLFormError.tooMany(wait: .milliseconds(30)))"
        == "too many requests; this one can be used after 0.03 seconds")
  }
}
