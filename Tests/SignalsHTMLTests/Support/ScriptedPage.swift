import Foundation
import Signals
import Testing

@testable import SignalsHTML

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// An element in a browser with a script.
final class ScriptedElement {
  let tag: String
  var attributes: [String: String]
  var text = ""
  var children: [ScriptedElement] = []
  weak var parent: ScriptedElement?
  /// The text of a field.
  private var typed: String?
  /// Whether an option is chosen.
  private var isChosen: Bool
  var number = -1

  init(_ node: XMLElement) {
    tag = node.name ?? ""
    attributes = Dictionary(
      (node.attributes ?? []).map { ($0.name ?? "", $0.stringValue ?? "") }
    ) { _, new in new }
    children = (node.children ?? []).compactMap { $0 as? XMLElement }.map(ScriptedElement.init)
    isChosen = attributes["selected"] != nil || attributes["checked"] != nil
    if children.isEmpty { text = node.stringValue ?? "" }
    children.forEach { $0.parent = self }
    switch tag {
    case "input" where isText:
      typed = attributes["value"]
    case "textarea":
      // As a parser of HTML, without the first line end.
      typed = String(text.dropFirst())
      text = ""
    default: break
    }
  }

  /// What a control shows: the text of a field, or the value of the chosen option.
  var value: String? {
    get {
      switch tag {
      case "select", "fieldset": options.last { $0.isChosen }?.attributes["value"] ?? ""
      default: typed
      }
    }
    set {
      guard tag == "select" || tag == "fieldset" else { return typed = newValue }
      for option in options { option.isChosen = option.attributes["value"] == newValue }
    }
  }

  private var options: [ScriptedElement] {
    all.filter { $0.tag == "option" || $0.attributes["type"] == "radio" }
  }

  var isText: Bool {
    tag == "textarea" || tag == "input" && ["text", "password"].contains(attributes["type"])
  }

  /// Whether a new page never has what the control shows.
  var isSecret: Bool { attributes["type"] == "password" }

  /// The element and those in it, in the order of the document.
  var all: [ScriptedElement] { [self] + children.flatMap(\.all) }

  /// A description without what only a new element has, and what the user replaces.
  func description(isShowing: (ScriptedElement) -> Bool) -> String {
    let ignored =
      ["autofocus", "selected", "checked"]
      + (value == nil ? [] : ["value", "name"])
    let shown = attributes.filter { !ignored.contains($0.key) }.sorted { $0.key < $1.key }
    let value =
      isShowing(self) && !isSecret ? value.map { " shows \($0.debugDescription)" } ?? "" : ""
    let content = children.map { $0.description(isShowing: isShowing) }.joined()
    let list = shown.map { " \($0)=\($1.debugDescription)" }.joined()
    return "<\(tag)\(list)\(value)>\(text)\(content)</\(tag)>\n"
  }
}

/// A page in a browser, as its script keeps it.
final class ScriptedPage {
  let session: HTMLSession
  let page: LivePage
  private(set) var form: ScriptedElement
  private(set) var title: String
  private(set) var path: String?
  private(set) var focus: ScriptedElement?
  /// The number of the last patch.
  private(set) var last = 0
  private var nodes: [Int: ScriptedElement] = [:]
  private var count = 0
  /// The controls with input that hasn't been taken into account, and the number of the message that
  /// has it; 0 if none has.
  private var edited: [(element: ScriptedElement, message: Int)] = []
  private let token: String
  private var message = 0

  init(_ session: HTMLSession) throws {
    self.session = session
    let text = String(decoding: session.page(), as: UTF8.self)
    let document = try XMLDocument(xmlString: text)
    let root = try #require(document.rootElement())
    let body = try #require(root.elements(forName: "body").first)
    let name = try #require(body.attribute(forName: "data-page")?.stringValue)
    page = try #require(session.livePage(name))
    form = ScriptedElement(try #require(body.elements(forName: "form").first))
    let head = root.elements(forName: "head").first
    title = head?.elements(forName: "title").first?.stringValue ?? ""
    token = form.all.first { $0.attributes["name"] == "token" }?.attributes["value"] ?? ""
    number(form)
  }

  /// Creates a page that goes on as another one of a session that continues the lost one, as the
  /// script does.
  init(_ former: ScriptedPage, continuedBy page: LivePage, of session: HTMLSession) throws {
    (self.session, self.page) = (session, page)
    (form, title, path, focus) = (former.form, former.title, former.path, former.focus)
    (nodes, count, token) = (former.nodes, former.count, former.token)
    (edited, message) = (former.edited.map { ($0.element, 0) }, former.message)
  }

  private func number(_ element: ScriptedElement) {
    for each in element.all {
      each.number = count
      nodes[count] = each
      count += 1
    }
  }

  private func drop(_ element: ScriptedElement) {
    for each in element.all {
      nodes[each.number] = nil
      if focus === each { focus = nil }
    }
  }

  // MARK: - Patches

  /// Uses the next patch.
  ///
  /// - Returns: The number of bytes; nil if there is no patch.
  @discardableResult
  func update() throws -> Int? {
    guard let patch = page.nextPatch() else { return nil }
    try use(patch)
    return patch.count
  }

  func use(_ patch: [UInt8]) throws {
    let values = try #require(try JSONSerialization.jsonObject(with: Data(patch)) as? [Any])
    last = try #require(values[0] as? Int)
    let received = try #require(values[1] as? Int)
    edited.removeAll { $0.message > 0 && $0.message <= received }
    for value in values.dropFirst(2) {
      let operation = try #require(value as? [Any])
      try use(operation, named: try #require(operation[0] as? String))
    }
    takeOver()
  }

  /// Moves what was entered into controls that were replaced to those in their places.
  private func takeOver() {
    for (control, message) in edited where nodes[control.number] !== control {
      edited.removeAll { $0.element === control }
      let new = form.all.first { $0.attributes["id"] == control.attributes["id"] }
      guard let new, new.tag == control.tag || new.isText && control.isText else { continue }
      // A field of one line takes no line ends.
      new.value =
        new.tag == "input" ? control.value?.replacing("\n", with: " ") : control.value
      edited.append((new, message))
    }
  }

  private func use(_ operation: [Any], named name: String) throws {
    func text(_ place: Int) throws -> String { try #require(operation[place] as? String) }
    func integer(_ place: Int) throws -> Int { try #require(operation[place] as? Int) }
    if name == "T" { return title = try text(1) }
    if name == "A" { return path = try text(1) }
    let element = try #require(nodes[try integer(1)], "no element for \(operation)")
    switch name {
    case "t":
      element.children.forEach(drop)
      element.children = []
      element.text = try text(2)
    case "a": element.attributes[try text(2)] = operation[3] as? String
    case "v": if !edited.contains(where: { $0.element === element }) { element.value = try text(2) }
    case "i":
      let markup = "<template>\(try text(3))</template>"
      for new in ScriptedElement(try XMLDocument(xmlString: markup).rootElement()!).children {
        number(new)
        try insert(new, in: element, before: try integer(2))
      }
    case "m":
      let child = try #require(nodes[try integer(2)])
      element.children.removeAll { $0 === child }
      try insert(child, in: element, before: try integer(3))
    case "x":
      let parent = try #require(element.parent)
      let place = try #require(parent.children.firstIndex { $0 === element })
      let last = try integer(2)
      let removed = place...(try #require(parent.children.firstIndex { $0.number == last }))
      parent.children[removed].forEach(drop)
      parent.children.removeSubrange(removed)
    case "f": focus = element
    case "h":
      form.children.forEach(drop)
      let markup = "<form>\(try text(2))</form>"
      form = ScriptedElement(try XMLDocument(xmlString: markup).rootElement()!)
      form.attributes = element.attributes
      (nodes, count) = ([:], 0)
      number(form)
    default: Issue.record("an unknown operation: \(operation)")
    }
  }

  private func insert(_ new: ScriptedElement, in parent: ScriptedElement, before next: Int) throws {
    #expect(parent.text.isEmpty)
    new.parent = parent
    guard next > 0 else { return parent.children.append(new) }
    let place = try #require(parent.children.firstIndex { $0.number == next })
    parent.children.insert(new, at: place)
  }

  // MARK: - Acting

  /// The controls that the user can enter something into.
  var controls: [ScriptedElement] {
    form.all.filter {
      $0.value != nil && $0.attributes["id"] != nil && $0.attributes["disabled"] == nil
    }
  }

  /// The actions of the buttons that can be pressed.
  var actions: [String] {
    form.all.filter { $0.tag == "button" && $0.attributes["disabled"] == nil }
      .compactMap { $0.attributes["value"] }
  }

  func control(_ label: String) throws -> ScriptedElement {
    let found = form.all.first { $0.tag == "label" && $0.text == label }
    let name = try #require(found?.attributes["for"], "no label \(label)")
    return try #require(form.all.first { $0.attributes["id"] == name })
  }

  func button(_ text: String) throws -> String {
    let found = form.all.first { $0.tag == "button" && $0.text == text }
    return try #require(found?.attributes["value"], "no button \(text)")
  }

  /// Enters something into a control, and doesn't send it yet.
  func enter(_ value: String, into control: ScriptedElement) {
    control.value = value
    edited.removeAll { $0.element === control }
    edited.append((control, 0))
  }

  /// Makes a message of what was entered and not sent, and of an action.
  func message(_ pairs: (String, String)...) -> String {
    message += 1
    var all = [("token", token), ("page", page.name), ("n", "\(message)")]
    for index in edited.indices where edited[index].message == 0 {
      let element = edited[index].element
      all.append(((element.attributes["id"] ?? "") + ".", element.value ?? ""))
      edited[index].message = message
    }
    all += pairs
    return all.map { "\(encode($0))=\(encode($1))" }.joined(separator: "&")
  }

  func send(_ message: String) throws { try page.receive(Array(message.utf8)) }

  private func encode(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }

  // MARK: - Comparing

  /// The page as text, without the controls that have unsent input.
  var description: String {
    form.description { control in !edited.contains { $0.element === control } }
  }

  /// A page of the session, drawn as a whole, as text, without the values of the controls that have
  /// unsent input here.
  func expected(_ session: HTMLSession) throws -> String {
    let names = Set(edited.map { $0.element.attributes["id"] })
    var bytes: [UInt8] = []
    var writer = PageWriter(session.host.frame, of: session, keeping: KeptScopes())
    let screen = writer.drawScreen()
    let form = PageDrawing(screen.group, finding: screen.found, of: session).form
    form.write(to: &bytes)
    #expect(form.mixed == nil)
    let node = try XMLDocument(xmlString: String(decoding: bytes, as: UTF8.self)).rootElement()!
    return ScriptedElement(node).description { !names.contains($0.attributes["id"]) }
  }
}

extension PageNode {
  /// The first element with both text and elements, which a script couldn't count.
  fileprivate var mixed: PageNode? {
    if !text.isEmpty, !children.isEmpty { return self }
    return children.lazy.compactMap(\.mixed).first
  }
}
