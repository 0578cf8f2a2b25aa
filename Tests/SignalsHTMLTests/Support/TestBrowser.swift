import Foundation
import Signals
import SignalsHTML
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// An element of a page.
struct PageElement {
  fileprivate let node: XMLElement

  var name: String? { node.name }
  var text: String { node.stringValue ?? "" }

  subscript(_ attribute: String) -> String? { node.attribute(forName: attribute)?.stringValue }

  var children: [PageElement] {
    (node.children ?? []).compactMap { $0 as? XMLElement }.map(PageElement.init)
  }

  func elements(named name: String) -> [PageElement] {
    node.elements(forName: name).map(PageElement.init)
  }
}

/// A browser without a script: it shows the last page, keeps what was typed into it, and sends its
/// form.
final class TestBrowser {
  let session: HTMLSession
  private(set) var page = ""
  private var document = XMLDocument()
  /// The values of the fields, by their names.
  private var typed: [String: String] = [:]

  init(_ session: HTMLSession) throws {
    self.session = session
    try load()
  }

  /// Shows the present page.
  func load() throws {
    page = String(decoding: session.page(), as: UTF8.self)
    do { document = try XMLDocument(xmlString: page) } catch {
      Issue.record("not well-formed: \(error)\n\(page)")
      throw error
    }
    typed = [:]
  }

  // MARK: - Reading

  func all(_ path: String) throws -> [PageElement] {
    try document.nodes(forXPath: path).compactMap { $0 as? XMLElement }.map(PageElement.init)
  }

  func only(_ path: String) throws -> PageElement {
    let found = try all(path)
    try #require(found.count == 1, "\(found.count) of \(path) in\n\(page)")
    return found[0]
  }

  func texts(_ path: String) throws -> [String] { try all(path).map(\.text) }

  /// The text of the screen, without the page's own parts.
  var main: String { (try? only("//main").text) ?? "" }

  /// The names of all attributes on the page.
  func attributes() throws -> Set<String> {
    Set(try document.nodes(forXPath: "//@*").compactMap(\.name))
  }

  // MARK: - Acting

  private func field(_ label: String) throws -> PageElement {
    let label = try #require(
      try all("//label").first { $0.text == label }, "no label \(label) in\n\(page)")
    return try only("//*[@id='\(label["for"] ?? "")']")
  }

  /// Replaces the text of a field.
  func type(_ text: String, into label: String) throws {
    typed[try #require(try field(label)["name"])] = text
  }

  /// Chooses an option by its place.
  func choose(_ place: Int, in label: String) throws {
    let select = try field(label)
    let options = select.elements(named: "option")
    typed[try #require(select["name"])] = options[place]["value"]
  }

  /// Chooses an option of a radio group.
  func choose(_ option: String, of group: String) throws {
    let path = "//fieldset[legend='\(group)']/label[.='\(option)']/input"
    let radio = try only(path)
    typed[try #require(radio["name"])] = radio["value"]
  }

  /// Presses a button by its text or label, sends the form, and shows the next page.
  func press(_ title: String, number: Int = 0) throws {
    let buttons = try all("//button").filter {
      $0.text == title || $0["aria-label"] == title
    }
    try #require(buttons.indices.contains(number), "no button \(title) in\n\(page)")
    try #require(buttons[number]["disabled"] == nil, "the button \(title) is disabled")
    try send(buttons[number]["value"] ?? "")
    try load()
  }

  /// Presses return in a field.
  func pressReturn() throws {
    try send(try #require(try all("//button").first?["value"]))
    try load()
  }

  /// The body that the form has with the action of a button.
  func body(_ action: String) throws -> String {
    var fields: [(String, String)] = []
    for control in try all("//input | //select | //textarea") {
      guard let name = control["name"], control["disabled"] == nil else { continue }
      if control["type"] == "radio" {
        let isChosen = typed[name].map { $0 == control["value"] } ?? (control["checked"] != nil)
        if isChosen { fields.append((name, control["value"] ?? "")) }
        continue
      }
      fields.append((name, typed[name] ?? value(of: control)))
    }
    fields.append(("do", action))
    return fields.map { "\(encode($0))=\(encode($1))" }.joined(separator: "&")
  }

  func send(_ action: String) throws { try session.submit(Array(try body(action).utf8)) }

  private func value(of control: PageElement) -> String {
    switch control.name {
    case "select":
      control.elements(named: "option").first { $0["selected"] != nil }?["value"] ?? ""
    case "textarea":
      // As a parser of HTML, without the first line end; sent with the line ends of the web.
      String(control.text.dropFirst()).replacing("\n", with: "\r\n")
    default: control["value"] ?? ""
    }
  }

  private func encode(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case 0x20: encoded += "+"
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x2A:
        encoded.append(Character(Unicode.Scalar(byte)))
      default:
        encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return encoded
  }
}
