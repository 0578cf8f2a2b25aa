import Foundation
import Signals
import SignalsTesting
import Testing

/// A screen as plain text, whose user names elements to the host.
private final class TextScreen: RenderedScreen {
  private let renderer = TextRenderer()
  private let host: ViewHost

  init(
    _ root: @escaping @Sendable () -> Element, isolation: isolated (any Actor)? = #isolation
  ) {
    host = ViewHost(
      Store(), renderer: renderer, onError: { _ in }, isolation: isolation, root: root)
  }

  // MARK: - Reading

  func read() -> [ShownElement] {
    var shown: [ShownElement] = []
    var lines = renderer.text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    while let line = lines.popFirst() {
      if line == "----------" || line.isEmpty { continue }
      if line.hasPrefix("! ") {
        shown[shown.count - 1].errors.append(String(line.dropFirst(2)))
      } else if line.hasSuffix(":"), lines.first?.hasPrefix("| ") == true {
        var text: [Substring] = []
        while let next = lines.first, next.hasPrefix("| ") {
          text.append(next.dropFirst(2))
          lines.removeFirst()
        }
        shown.append(
          ShownElement(.field, named: "\(line.dropLast())", value: text.joined(separator: "\n")))
      } else if let group = TextScreen.radioGroup(line) {
        shown.append(group)
      } else {
        shown += line.split(separator: "  ").map(TextScreen.element)
      }
    }
    return shown
  }

  private static func radioGroup(_ line: Substring) -> ShownElement? {
    guard let (label, options) = halves(line, ": ("), line.hasSuffix(")") == false,
      let chosen = options.split(separator: "  ").first(where: { $0.contains("x) ") })
    else { return nil }
    return ShownElement(.choice, named: "\(label)", value: halves(chosen, "x) ").map { "\($0.1)" })
  }

  private static func element(_ text: Substring) -> ShownElement {
    if text.hasPrefix("[x] ") || text.hasPrefix("[ ] ") {
      return ShownElement(
        .toggle, named: "\(text.dropFirst(4))", value: text.hasPrefix("[x]") ? "on" : "off")
    }
    if text.hasPrefix("(image: "), text.hasSuffix(")") {
      return ShownElement(.image, named: "\(text.dropFirst(8).dropLast())")
    }
    if text.hasPrefix("["), text.hasSuffix(")"), let (title, _) = halves(text.dropFirst(), "](") {
      return ShownElement(.link, named: "\(title)")
    }
    if text.hasPrefix("["), text.hasSuffix("]") {
      let title = text.dropFirst().dropLast()
      return title.hasSuffix("…")
        ? ShownElement(.button, named: "\(title.dropLast())", states: [.busy])
        : ShownElement(.button, named: "\(title)")
    }
    if text.hasSuffix("%"), let (label, rest) = halves(text, " ["),
      let (_, part) = halves(rest, "] ")
    {
      return ShownElement(.progress, named: "\(label)", value: "\(part)")
    }
    if text.hasSuffix("]"), let (label, value) = halves(text, ": [") {
      return ShownElement(.field, named: "\(label)", value: "\(value.dropLast())")
    }
    if text.hasSuffix(">"), let (label, value) = halves(text, ": <") {
      return ShownElement(.choice, named: "\(label)", value: "\(value.dropLast())")
    }
    return ShownElement(.text, named: "\(text)")
  }

  private static func halves(
    _ text: Substring, _ separator: String
  ) -> (Substring, Substring)? {
    guard let range = text.firstRange(of: separator) else { return nil }
    return (text[..<range.lowerBound], text[range.upperBound...])
  }

  // MARK: - Acting

  func perform(_ act: UserAct) throws {
    do {
      switch act {
      case .press(let title): try host.start(.element(find(title)), with: .tap)
      case .type(let text, let field), .paste(let text, let field):
        try host.start(.element(find(field)), with: .text(text))
      case .submit(let field): try host.start(.element(find(field)), with: .submit)
      case .toggle(let label): try host.start(.element(find(label)), with: .tap)
      case .choose(let title, let label):
        let picker = try find(label)
        let option = try #require(picker.options.first { $0.title == title })
        try host.start(.element(picker), with: .choice(option.id))
      case .moveDown(let text):
        let (list, place) = try row(text)
        try host.start(.element(list), with: .move([place], toOffset: place + 2))
      // All rows are there.
      case .goToLastRow: break
      case .key(let name):
        if host.keys.contains(KeyPress(name)) { try host.start(.key(KeyPress(name))) }
      case .goBack: try host.start(.key("escape"))
      }
    } catch HostError.disabled {
      // A disabled element does nothing.
    } catch  where !(error is HostError) {
      // The app's error handlers have it.
    }
  }

  /// The elements on screen, with the number of the row of each.
  private func elements() -> [DrawnElement] {
    let frame = host.frame
    func all(_ elements: [Element]) -> [DrawnElement] {
      elements.flatMap { element -> [DrawnElement] in
        switch element.content {
        case .drawn(let drawn): [drawn] + all(drawn.children)
        case .scope(let scope): all(frame.elements(of: scope))
        case nil: []
        }
      }
    }
    return all(frame.front)
  }

  private func find(_ text: String) throws -> DrawnElement {
    let named = elements().filter { $0.text == text }
    return try #require(named.last, "there is no \(text)")
  }

  private func row(_ text: String) throws -> (list: DrawnElement, place: Int) {
    let list = try #require(elements().first { $0.move != nil }, "no rows can be moved")
    guard case .scope(let scope)? = list.children.first?.content,
      let place = host.frame.rows(of: scope)?.firstIndex(where: { row in
        host.frame.elements(of: row).contains { element in
          if case .drawn(let drawn)? = element.content { drawn.text == text } else { false }
        }
      })
    else { throw UserAct.Unsupported(.moveDown(text)) }
    return (list, place)
  }
}

@MainActor @Suite struct `Plain text, as a renderer` {
  private static let gaps = [
    "A disabled element is shown as disabled, and does nothing":
      "Plain text has no state other than busy.",
    "A row that moves keeps the focus": "Plain text has no focus.",
    "When a dialog closes, the focus is where it was": "Plain text has no focus.",
  ]

  @Test(arguments: RendererScenario.all)
  func passes(_ scenario: RendererScenario) async {
    await scenario.check(TextScreen(scenario.root), gap: Self.gaps[scenario.name])
  }

  @Test func `scenarios have different names, and gaps are those of scenarios`() {
    let names = Set(RendererScenario.all.map(\.name))
    #expect(names.count == RendererScenario.all.count)
    #expect(Set(Self.gaps.keys).isSubset(of: names))
  }

  // The suites of the other renderers name no gaps.
  @Test func `the table in the documents is that of the scenarios`() throws {
    var lines = [
      "| scenario | text | terminal | page without a script | live page |", "|---|---|---|---|---|",
    ]
    lines += RendererScenario.all.map { scenario in
      let text = Self.gaps[scenario.name] == nil ? "yes" : "no"
      return "| \(scenario.name) | \(text) | yes | yes | yes |"
    }
    lines += [""] + Set(Self.gaps.values).sorted()
    let table = lines.joined(separator: "\n")
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../Sources/Signals/Signals.docc/WritingARenderer.md")
    let article = try String(contentsOf: file, encoding: .utf8)
    #expect(article.contains("\n\(table)\n"), "\(table)")
  }
}
