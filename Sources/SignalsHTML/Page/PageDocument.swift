// The document around the content of a page: its head, its form, notices, and buttons for keys.

import Signals

/// The present screen of a session, as a page shows it.
struct PageDrawing {
  /// The form, which contains all that changes.
  let form: PageNode
  let title: String
  let location: String
  /// The name of the element that has the focus.
  let focus: String?
  /// Whether the page is loaded again, to show the result of an intent under way.
  let isRefreshed: Bool

  init(_ writer: PageWriter, of session: HTMLSession) {
    let own = session.host.frame.title
    title = own.map { "\($0) – \(session.title)" } ?? session.title
    location = session.location
    focus = writer.frame.focus.map { session.names.name(of: $0) }
    isRefreshed = writer.isBusy && writer.fields.isEmpty && session.live == nil
    var markup = Markup()
    markup.begin("form")
    markup.attribute("method", "post")
    PageDrawing.hidden(&markup, "token", session.token)
    // A browser uses the first button of a form if the visitor presses return in a field.
    PageDrawing.button(&markup, .enter, title: "Enter", classes: "away", isDefault: true)
    PageDrawing.notices(&markup, session.message, isBusy: writer.isBusy)
    markup.begin("main")
    markup.append(writer.markup)
    if !writer.fields.isEmpty {
      PageDrawing.button(&markup, .enter, title: "Apply", classes: "apply")
    }
    markup.end("main")
    PageDrawing.keys(&markup, session.host.keys)
    markup.end("form")
    form = markup.roots[0]
  }

  private static func hidden(_ markup: inout Markup, _ name: String, _ value: String) {
    markup.begin("input")
    markup.attribute("type", "hidden")
    markup.attribute("name", name)
    markup.attribute("value", value)
    markup.endEmpty()
  }

  private static func button(
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

  private static func notices(_ markup: inout Markup, _ message: String?, isBusy: Bool) {
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
    markup.element("span", "Working… ")
    markup.begin("a")
    markup.attribute("href", "")
    markup.text("Show the result")
    markup.end("a")
    markup.end("p")
  }

  /// Writes a button for each key that is bound on screen.
  private static func keys(_ markup: inout Markup, _ keys: [KeyPress]) {
    if keys.isEmpty { return }
    markup.begin("nav")
    markup.attribute("class", "keys")
    markup.attribute("aria-label", "Keys")
    markup.element("span", "Keys")
    for key in keys { button(&markup, .key(key.name), title: key.name, classes: nil) }
    markup.end("nav")
  }
}

/// The document of a page.
struct PageDocument {
  private let drawing: PageDrawing
  private let stylesheet: String
  private let live: String?
  private let script: String

  init(of session: HTMLSession, _ drawing: PageDrawing) {
    self.drawing = drawing
    (stylesheet, live, script) = (session.stylesheet, session.live, session.script)
  }

  /// Returns the document.
  ///
  /// - Parameter page: The name of the page, if a script keeps it up to date.
  func bytes(page: String?) -> [UInt8] {
    var markup = Markup()
    markup.begin("html")
    markup.attribute("lang", "en")
    head(&markup, isLive: page != nil)
    markup.begin("body")
    if let page, let live {
      markup.attribute("data-live", live)
      markup.attribute("data-page", page)
    }
    markup.append(drawing.form)
    markup.end("body")
    markup.end("html")
    var bytes = Array("<!DOCTYPE html>\n".utf8)
    markup.roots.forEach { $0.write(to: &bytes) }
    return bytes
  }

  private func head(_ markup: inout Markup, isLive: Bool) {
    markup.begin("head")
    meta(&markup, "charset", "utf-8")
    meta(&markup, "name", "viewport", content: "width=device-width, initial-scale=1")
    if drawing.isRefreshed { meta(&markup, "http-equiv", "refresh", content: "2") }
    markup.element("title", drawing.title)
    markup.begin("link")
    markup.attribute("rel", "stylesheet")
    markup.address("href", stylesheet)
    markup.endEmpty()
    if isLive {
      markup.begin("script")
      markup.address("src", script)
      markup.attribute("defer", "")
      markup.end("script")
    }
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
}
