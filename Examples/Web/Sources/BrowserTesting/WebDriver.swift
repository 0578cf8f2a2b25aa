// A browser that is driven by the protocol of WebDriver: Chromium, without a window.
//
// State: `program`, the process that drives browsers; `address`, where it listens; `session`, the
// part of the path that names the browser.

import AsyncHTTPClient
import Foundation
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOHTTP1
public import NIOSSL
public import Site
public import Testing

/// A process of the program that drives browsers.
public final class BrowserDriver: Sendable {
  private let program: Program
  let address: URL

  /// The path of the program; nil if it isn't installed.
  public static let path: String? = ["/usr/bin/chromedriver", "/usr/local/bin/chromedriver"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// Starts the program.
  public init() async throws {
    let started = try await BrowserDriver.start(tries: 5)
    program = started.program
    address = try #require(URL(string: "http://127.0.0.1:\(started.port)"))
  }

  /// Starts the program; of two that start at a time and choose the same port, one ends.
  private static func start(tries: Int) async throws -> (program: Program, port: Int) {
    do {
      return try await Program.start(
        try #require(path), ["--port=0"], until: "started successfully on port (\\d+)")
    } catch let error as Program.Silence {
      if tries == 1 { throw error }
      return try await start(tries: tries - 1)
    }
  }

  deinit { program.terminate() }

  /// Opens a browser, with cookies of its own.
  public func browser() async throws -> Browser {
    let options: [String: Any] = [
      "args": [
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--window-size=900,800",
      ]
    ]
    // Certificates are made for a test. An element that a page is about to show is waited for.
    let wishes: [String: Any] = [
      "browserName": "chrome", "goog:chromeOptions": options, "acceptInsecureCerts": true,
      "timeouts": ["implicit": 10_000],
    ]
    let capabilities = ["alwaysMatch": wishes]
    let answer = try await Browser.request(
      "POST", address.appending(path: "session"), ["capabilities": capabilities])
    let name = try #require((answer as? [String: Any])?["sessionId"] as? String)
    return Browser(driver: self, session: address.appending(path: "session/\(name)"))
  }
}

/// A browser.
public struct Browser: Sendable {
  let driver: BrowserDriver
  let session: URL

  // MARK: - Acting

  /// Opens a page.
  public func open(_ address: String) async throws { try await post("url", ["url": address]) }

  /// Runs a script in each page that is opened, before its own.
  public func run(inEachPage script: String) async throws {
    try await tools("Page.addScriptToEvaluateOnNewDocument", ["source": script])
  }

  /// Sends a command of the browser's tools for developers.
  @discardableResult
  public func tools(_ command: String, _ parameters: [String: Any]) async throws -> Any {
    try await post("goog/cdp/execute", ["cmd": command, "params": parameters])
  }

  /// Goes back to the page before.
  public func back() async throws { try await post("back", [:]) }

  /// Closes the browser.
  public func close() async throws { _ = try await Browser.request("DELETE", session, nil) }

  /// Clicks the element that a selector finds.
  public func click(_ selector: String) async throws {
    try await click("css selector", selector)
  }

  /// Clicks the button or link with a text.
  public func click(text: String) async throws {
    try await click("xpath", "//*[self::button or self::a][.=\"\(text)\"]")
  }

  /// Clicks an element; finds it again while a page replaces it after it was found.
  private func click(_ kind: String, _ value: String) async throws {
    for attempt in 1... {
      do {
        try await post("element/\(try await find(kind, value))/click", [:])
        return
      } catch let error as WebDriverError where error.isAboutReplacedElement && attempt < 10 {}
    }
  }

  /// Presses keys, as for the element with the focus.
  public func press(_ keys: String) async throws {
    let actions = keys.flatMap {
      [["type": "keyDown", "value": "\($0)"], ["type": "keyUp", "value": "\($0)"]]
    }
    try await post(
      "actions", ["actions": [["type": "key", "id": "keyboard", "actions": actions]]])
  }

  /// Delays everything that is sent and received.
  public func delay(milliseconds: Int) async throws {
    try await post(
      "chromium/network_conditions",
      [
        "network_conditions": [
          "latency": milliseconds, "download_throughput": 1_000_000, "upload_throughput": 1_000_000,
        ]
      ])
  }

  // MARK: - Reading

  /// Runs a script.
  public func run(_ script: String) async throws {
    try await post("execute/sync", ["script": script, "args": []])
  }

  /// Returns the value of an expression of JavaScript.
  public func value<Value>(of expression: String, as type: Value.Type = Value.self) async throws
    -> Value
  {
    let answer = try await post("execute/sync", ["script": "return \(expression)", "args": []])
    return try #require(answer as? Value, "\(expression) is \(answer)")
  }

  /// Waits until an expression of JavaScript has a value.
  public func expect(
    _ expression: String, _ value: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    var last = ""
    for _ in 0..<1500 {
      last = try await self.value(of: "String(\(expression))")
      if last == value { return }
      try await Task.sleep(nanoseconds: 20_000_000)
    }
    Issue.record("\(expression) is \(last), not \(value)", sourceLocation: sourceLocation)
  }

  private func find(_ kind: String, _ value: String) async throws -> String {
    let answer = try await post("element", ["using": kind, "value": value])
    return try #require((answer as? [String: String])?.values.first, "no \(value)")
  }

  // MARK: - The protocol

  @discardableResult
  private func post(_ command: String, _ body: [String: Any]) async throws -> Any {
    try await Browser.request("POST", session.appending(path: command), body)
  }

  /// Sends a command, and returns the value of the answer.
  static func request(_ method: String, _ url: URL, _ body: [String: Any]?) async throws -> Any {
    var request = HTTPClientRequest(url: url.absoluteString)
    request.method = .RAW(value: method)
    if let body {
      request.headers.add(name: "Content-Type", value: "application/json")
      request.body = .bytes(ByteBuffer(bytes: try JSONSerialization.data(withJSONObject: body)))
    }
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
    let data = Data(try await response.body.collect(upTo: 10_000_000).readableBytesView)
    let answer = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    let value = answer?["value"] ?? NSNull()
    guard response.status == .ok else {
      let name = (value as? [String: Any])?["error"] as? String
      throw WebDriverError(name: name ?? "", description: "\(url.path): \(value)")
    }
    return value
  }
}

/// An answer with an error.
struct WebDriverError: Error, CustomStringConvertible {
  /// The name of the error in the protocol.
  let name: String
  let description: String

  /// Whether the element isn't in the page any more.
  var isAboutReplacedElement: Bool { name == "stale element reference" }
}

extension Site {
  /// Serves the site, and opens browsers.
  public func inBrowsers(
    _ count: Int = 1, tls: TLSConfiguration? = nil,
    _ body: @escaping @Sendable ([Browser], String) async throws -> Void
  ) async throws {
    try await application(port: 0, tls: tls).test(tls == nil ? .live : .ahc(.https)) { client in
      let port = try #require(client.port)
      let scheme = tls == nil ? "http" : "https"
      let driver = try await BrowserDriver()
      var browsers: [Browser] = []
      for _ in 0..<count { browsers.append(try await driver.browser()) }
      do { try await body(browsers, "\(scheme)://127.0.0.1:\(port)") } catch {
        for browser in browsers { try? await browser.close() }
        throw error
      }
      for browser in browsers { try? await browser.close() }
    }
  }
}
