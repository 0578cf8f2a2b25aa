import BrowserTesting
import Signals
import SignalsTesting
import Site
import Testing

/// A screen in a browser, read from what assistive technology gets, and used by its mouse and keys.
final class BrowserScreen: RenderedScreen {
  private let browser: Browser

  init(_ browser: Browser) { self.browser = browser }

  nonisolated(nonsending) func wait() async throws {
    try await Task.sleep(nanoseconds: 20_000_000)
  }

  // MARK: - Reading

  /// A node of the accessibility tree.
  private struct Node {
    let role: String
    let name: String
    let value: String
    let description: String
    let properties: [String: String]
    let children: [String]

    init(_ node: [String: Any]) {
      func text(_ key: String) -> String {
        (node[key] as? [String: Any])?["value"].map { "\($0)" } ?? ""
      }
      role = node["ignored"] as? Bool == true ? "ignored" : text("role")
      (name, value, description) = (text("name"), text("value"), text("description"))
      var properties: [String: String] = [:]
      for property in node["properties"] as? [[String: Any]] ?? [] {
        guard let name = property["name"] as? String,
          let value = (property["value"] as? [String: Any])?["value"]
        else { continue }
        properties[name] = "\(value)"
      }
      self.properties = properties
      children = node["childIds"] as? [String] ?? []
    }

    /// Whether a state is on, as a flag or a word.
    func has(_ state: String) -> Bool { ["1", "true"].contains(properties[state]) }
  }

  nonisolated(nonsending) func read() async throws -> [ShownElement] {
    let tree = try await browser.tools("Accessibility.getFullAXTree", [:]) as? [String: Any]
    let list = try #require(tree?["nodes"] as? [[String: Any]])
    var nodes: [String: Node] = [:]
    for node in list { nodes[node["nodeId"] as? String ?? ""] = Node(node) }
    var shown: [ShownElement] = []
    if let root = list.first?["nodeId"] as? String { add(root, of: nodes, to: &shown) }
    return shown
  }

  private func add(_ id: String, of nodes: [String: Node], to shown: inout [ShownElement]) {
    guard let node = nodes[id] else { return }
    func add(_ role: ShownElement.Role, _ name: String, _ value: String? = nil) {
      var element = ShownElement(role, named: name, value: value)
      if node.has("disabled") { element.states.insert(.disabled) }
      if node.has("focused") { element.states.insert(.focused) }
      if node.has("busy") {
        element.states.insert(.busy)
        if name.hasSuffix("…") { element.name.removeLast() }
      }
      if node.has("invalid") { element.errors = [node.description] }
      shown.append(element)
    }
    switch node.role {
    case "StaticText": add(.text, node.name)
    case "button": if !["Move up", "Move down"].contains(node.name) { add(.button, node.name) }
    case "switch": add(.toggle, node.name, node.has("checked") ? "on" : "off")
    case "link": add(.link, node.name)
    case "image": add(.image, node.name)
    case "textbox": add(.field, node.name, node.value)
    case "combobox": add(.choice, node.name, node.value)
    case "progressbar":
      add(.progress, node.name, Double(node.value).map { "\(Int($0 * 100))%" })
    case "group":
      let inner = all(node, in: nodes)
      guard inner.contains(where: { $0.role == "radio" }) else { break }
      return add(.choice, node.name, inner.first { $0.role == "radio" && $0.has("checked") }?.name)
    // The labels of controls, and the keys of the screen.
    case "LabelText", "navigation": return
    default: break
    }
    let isWhole = ["StaticText", "button", "switch", "link", "textbox", "combobox"]
    if isWhole.contains(node.role) { return }
    for child in node.children { self.add(child, of: nodes, to: &shown) }
  }

  private func all(_ node: Node, in nodes: [String: Node]) -> [Node] {
    node.children.compactMap { nodes[$0] }.flatMap { [$0] + all($0, in: nodes) }
  }

  // MARK: - Acting

  nonisolated(nonsending) func perform(_ act: UserAct) async throws {
    switch act {
    case .press(let title): try await browser.click(text: title)
    case .toggle(let label): try await browser.click(text: label)
    case .type(let text, let label):
      try await browser.run("\(field(label)).focus(); \(field(label)).select()")
      if text.isEmpty {
        try await browser.press("\u{E003}")
      } else if text.utf8.allSatisfy({ $0 < 128 }) {
        try await browser.press(text)
      } else {
        try await browser.tools("Input.insertText", ["text": text])
      }
    case .paste(let text, let label):
      try await browser.run("\(field(label)).focus(); \(field(label)).select()")
      try await browser.tools("Input.insertText", ["text": text])
    case .submit(let label):
      try await browser.run("\(field(label)).focus()")
      try await browser.press("\u{E007}")
    case .choose(let option, let label):
      try await browser.run(
        """
        const radio = [...document.querySelectorAll('fieldset')]
          .find(x => x.querySelector('legend').textContent == '\(label)')
        if (radio) {
          [...radio.querySelectorAll('label')].find(x => x.textContent == '\(option)').click()
        } else {
          const e = \(field(label))
          e.selectedIndex = [...e.options].findIndex(x => x.text == '\(option)')
          for (const t of ['input', 'change']) e.dispatchEvent(new Event(t, {bubbles: true}))
        }
        """)
    case .moveDown(let text):
      try await browser.run(
        """
        [...document.querySelectorAll('li')].find(x => x.textContent.startsWith('\(text)'))
          .querySelector('[aria-label="Move down"]').click()
        """)
    case .goToLastRow: try await browser.click(text: "Last")
    case .key(let name):
      let codes = ["escape": "\u{E00C}", "f2": "\u{E032}"]
      try await browser.press(try #require(codes[name], "an unknown key \(name)"))
    case .goBack: try await browser.back()
    }
  }

  private func field(_ label: String) -> String {
    "[...document.querySelectorAll('label')].find(x => x.textContent == '\(label)').control"
  }
}

/// The contract of all renderers, for a page with a script in Chromium.
@Suite(.enabled(if: BrowserDriver.path != nil), .serialized)
struct `Live pages, as a renderer` {
  @Test(arguments: RendererScenario.all)
  func passes(_ scenario: RendererScenario) async throws {
    let site = await Site([
      SiteApp.eachVisitor("app", title: "App", store: Store()) { SiteScreen(view: scenario.root) }
    ])
    try await site.inBrowsers { browsers, address in
      try await browsers[0].open("\(address)/app")
      try await browsers[0].expect("document.documentElement.className", "live")
      await scenario.check(BrowserScreen(browsers[0]))
    }
  }
}
