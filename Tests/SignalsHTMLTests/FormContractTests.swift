import Foundation
import Signals
import SignalsHTML
import SignalsTesting
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// A screen as pages without a script.
private final class FormScreen: RenderedScreen {
  private let browser: TestBrowser
  private var visited: [String]

  init(
    _ root: @escaping @Sendable () -> Element, isolation: isolated (any Actor)? = #isolation
  ) throws {
    let session = HTMLSession(Store(), title: "App", isolation: isolation, root: root)
    browser = try TestBrowser(session)
    visited = [session.location]
  }

  func read() throws -> [ShownElement] {
    // As a visitor who waits for the result loads the page again.
    if try !browser.all("//*[@role='status']/a").isEmpty { try browser.load() }
    return try browser.shown()
  }

  func perform(_ act: UserAct) throws {
    switch act {
    case .press(let title): try press(title)
    case .toggle(let label): try press(label)
    case .type(let text, let field), .paste(let text, let field):
      try browser.type(text, into: field)
      // Return would also submit the field.
      if try browser.all("//button[@aria-label='Submit \(field)']").isEmpty {
        try browser.press("Apply")
      }
    case .submit(let field): try browser.press("Submit \(field)")
    case .choose(let option, let label):
      let options = try browser.all(
        "//label[.='\(label)']/following-sibling::select/option"
      ).map(\.text)
      if let place = options.firstIndex(of: option) {
        try browser.choose(place, in: label)
      } else {
        try browser.choose(option, of: label)
      }
      try browser.press("Choose \(label)")
    case .moveDown(let text):
      let rows = try browser.texts("//ul/li")
      let row = try #require(rows.firstIndex { $0.hasPrefix(text) })
      try browser.press("Move down", number: row)
    case .goToLastRow: try browser.press("Last")
    case .key(let name):
      // A key that is bound has a button.
      if try browser.texts("//nav/button").contains(name) { try browser.press(name) }
    case .goBack:
      visited.removeLast()
      browser.session.open(try #require(visited.last))
      try browser.load()
    }
    if visited.last != browser.session.location { visited.append(browser.session.location) }
  }

  private func press(_ title: String) throws {
    if let link = try browser.all("//a").first(where: { $0.text == title }), let path = link["href"]
    {
      #expect(browser.session.open(path))
      return try browser.load()
    }
    let button = try browser.all("//button").first { $0.text == title }
    if button?["disabled"] == nil { try browser.press(title) }
  }
}

extension TestBrowser {
  /// The elements of the page, as its visitor sees them.
  fileprivate func shown() throws -> [ShownElement] {
    var shown: [ShownElement] = []
    for part in try all("//main/*") { try read(part, into: &shown) }
    return shown
  }

  private func read(_ part: PageElement, into shown: inout [ShownElement]) throws {
    func add(_ role: ShownElement.Role, _ name: String, _ value: String? = nil) throws {
      var element = ShownElement(role, named: name, value: value)
      if part["disabled"] != nil { element.states.insert(.disabled) }
      if part["aria-busy"] == "true" {
        element.states.insert(.busy)
        if name.hasSuffix("…") { element.name.removeLast() }
      }
      if part["autofocus"] != nil { element.states.insert(.focused) }
      if let errors = part["aria-describedby"] {
        element.errors = try texts("//*[@id='\(errors)']/p")
      }
      shown.append(element)
    }
    func label() throws -> String {
      try part["aria-label"] ?? texts("//label[@for='\(part["id"] ?? "")']").first ?? ""
    }
    switch part.name ?? "" {
    case "button":
      // Of the page, and not of the app.
      if part.text == "↵" || part["class"] == "apply" || part["class"] == "move" { return }
      if part["role"] == "switch" {
        try add(.toggle, part.text, part["aria-checked"] == "true" ? "on" : "off")
      } else {
        try add(.button, part["aria-label"] ?? part.text)
      }
    case "a": try add(.link, part.text)
    case "img": try add(.image, part["alt"] ?? "")
    case "input": try add(.field, label(), part["value"] ?? "")
    case "textarea": try add(.field, label(), String(part.text.dropFirst()))
    case "select":
      let chosen = part.elements(named: "option").first { $0["selected"] != nil }
      try add(.choice, label(), chosen?.text)
    case "fieldset":
      let chosen = part.elements(named: "label").first {
        $0.elements(named: "input").contains { $0["checked"] != nil }
      }
      try add(.choice, part.elements(named: "legend").first?.text ?? "", chosen?.text)
    case "progress": try add(.progress, label(), part.text)
    case "label": break
    case "div" where part["class"] == "errors" || part["class"] == "pages": break
    default:
      let children = part.children
      if children.isEmpty { if !part.text.isEmpty { try add(.text, part.text) } }
      for child in children { try read(child, into: &shown) }
    }
  }
}

@MainActor @Suite struct `Pages without a script, as a renderer` {
  @Test(arguments: RendererScenario.all)
  func passes(_ scenario: RendererScenario) async throws {
    await scenario.check(try FormScreen(scenario.root))
  }
}
