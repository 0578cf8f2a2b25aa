// The document around the content of a page: its head, its form, notices, and buttons for keys.

import Signals

/// The parts of a page that aren't elements of the screen.
struct PageDocument {
  private let title: String
  private let stylesheet: String
  private let token: String
  private let message: String?
  private let keys: [KeyPress]

  init(of session: HTMLSession, keys: [KeyPress]) {
    let own = session.host.frame.title
    title = own.map { "\($0) – \(session.title)" } ?? session.title
    (stylesheet, token) = (session.stylesheet, session.token)
    message = session.message
    self.keys = keys
  }

  /// Returns the document around the content of the page.
  func bytes(around writer: PageWriter) -> [UInt8] {
    var markup = Markup()
    markup.literal("<!DOCTYPE html>\n")
    markup.begin("html")
    markup.attribute("lang", "en")
    head(&markup, refreshes: writer.isBusy && writer.fields.isEmpty)
    markup.begin("body")
    markup.begin("form")
    markup.attribute("method", "post")
    hidden(&markup, "token", token)
    // A browser uses the first button of a form if the visitor presses return in a field.
    button(&markup, .enter, title: "Enter", classes: "away", isDefault: true)
    notices(&markup, isBusy: writer.isBusy)
    markup.begin("main")
    markup.append(writer.markup)
    if !writer.fields.isEmpty { button(&markup, .enter, title: "Apply", classes: nil) }
    markup.end("main")
    keys(&markup)
    markup.end("form")
    markup.end("body")
    markup.end("html")
    return markup.bytes
  }

  private func head(_ markup: inout Markup, refreshes: Bool) {
    markup.begin("head")
    meta(&markup, "charset", "utf-8")
    meta(&markup, "name", "viewport", content: "width=device-width, initial-scale=1")
    if refreshes { meta(&markup, "http-equiv", "refresh", content: "2") }
    markup.element("title", title)
    markup.begin("link")
    markup.attribute("rel", "stylesheet")
    markup.address("href", stylesheet)
    markup.endEmpty()
    markup.end("head")
  }

  private func meta(
    _ markup: inout Markup, _ attribute: StaticString, _ value: String, content: String? = nil
  ) {
    markup.begin("meta")
    markup.attribute(attribute, value)
    if let content { markup.attribute("content", content) }
    markup.endEmpty()
  }

  private func hidden(_ markup: inout Markup, _ name: String, _ value: String) {
    markup.begin("input")
    markup.attribute("type", "hidden")
    markup.attribute("name", name)
    markup.attribute("value", value)
    markup.endEmpty()
  }

  private func button(
    _ markup: inout Markup, _ action: PageAction, title: String, classes: String?,
    isDefault: Bool = false
  ) {
    markup.begin("button")
    if let classes { markup.attribute("class", classes) }
    if isDefault {
      markup.attribute("tabindex", "-1")
      markup.attribute("aria-hidden", "true")
    }
    markup.attribute("name", "do")
    markup.attribute("value", action.text)
    markup.text(title)
    markup.end("button")
  }

  private func notices(_ markup: inout Markup, isBusy: Bool) {
    if let message {
      markup.begin("p")
      markup.attribute("class", "notice error")
      markup.attribute("role", "alert")
      markup.text(message)
      markup.end("p")
    }
    guard isBusy else { return }
    markup.begin("p")
    markup.attribute("class", "notice")
    markup.attribute("role", "status")
    markup.text("Working… ")
    markup.begin("a")
    markup.attribute("href", "")
    markup.text("Show the result")
    markup.end("a")
    markup.end("p")
  }

  /// Writes a button for each key that is bound on screen.
  private func keys(_ markup: inout Markup) {
    if keys.isEmpty { return }
    markup.begin("nav")
    markup.attribute("class", "keys")
    markup.attribute("aria-label", "Keys")
    markup.element("span", "Keys")
    for key in keys { button(&markup, .key(key.name), title: key.name, classes: nil) }
    markup.end("nav")
  }
}
