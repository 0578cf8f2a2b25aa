// The document around the content of a page: its head, its form, notices, and buttons for keys.

import Signals

/// The present screen of a session, as a page shows it.
struct PageDrawing {
  /// The form, which contains all that changes.
  let form: PageNode
  let title: String
  let location: String
  /// The element that has the focus.
  let focus: PageNode.Key?
  /// Whether the page is loaded again, to show the result of an intent under way.
  let isRefreshed: Bool
  private let frame: FormFrame
  private let screen: PageNode

  /// - Parameter former: The drawing that this one takes the place of.
  init(
    _ screen: PageNode, finding found: PageFindings, of session: HTMLSession,
    after former: PageDrawing? = nil
  ) {
    title = found.title.map { "\($0) – \(session.title)" } ?? session.title
    location = session.location
    focus = Self.focus(of: session.host.frame, named: session.names, finding: found)
    isRefreshed = found.isBusy && found.fields.isEmpty && session.live == nil
    frame = FormFrame(
      state: session.sealedState, messages: [session.notice, session.message].compactMap(\.self),
      isBusy: found.isBusy, hasFields: !found.fields.isEmpty, keys: session.host.keys)
    self.screen = screen
    if let former, former.frame == frame,
      let form = former.form.replacing([
        PageNode.Replacement(old: former.screen, new: screen, place: [frame.place, 0])
      ])
    {
      self.form = form
    } else {
      form = frame.form(around: screen, with: session.parts)
    }
  }
}

extension PageDrawing {
  /// Returns the element that has the focus.
  ///
  /// A dialog in which none has it gives it to its first field. Without a field, it has the focus itself,
  /// so that a key that is still held presses no button.
  private static func focus(
    of frame: Frame, named names: PageNames, finding found: PageFindings
  ) -> PageNode.Key? {
    if let id = frame.focus { return .name(names.name(of: id)) }
    return frame.cover.map { _ in found.fields.first.map { .name($0) } ?? .cover }
  }
}

/// The parts of a form around the screen.
private struct FormFrame: Equatable {
  let state: String?
  let messages: [String]
  let isBusy: Bool
  let hasFields: Bool
  let keys: [KeyPress]

  /// The place of the screen's element in the form.
  var place: Int { 2 + (state == nil ? 0 : 1) + messages.count + (isBusy ? 1 : 0) }

  func form(around screen: PageNode, with parts: PageParts) -> PageNode {
    var markup = Markup()
    markup.begin(.form)
    markup.attribute(.method, "post")
    // A browser that enters old values into a page that it loads again would overwrite newer ones.
    markup.attribute(.autocomplete, "off")
    parts.start.forEach { markup.append($0) }
    if let state { markup.hidden("state", value: state) }
    markup.notices(messages, isBusy: isBusy)
    markup.begin(.main)
    markup.append(screen)
    if hasFields { markup.append(parts.apply) }
    markup.end(.main)
    markup.buttons(for: keys)
    markup.end(.form)
    return markup.roots[0]
  }
}

/// The elements that are the same on all pages of a session.
struct PageParts {
  let start: [PageNode]
  let apply: PageNode

  init(token: String) {
    var markup = Markup()
    markup.hidden("token", value: token)
    // A browser uses the first button of a form if the visitor presses return in a field.
    markup.button(.enter, title: "Enter", classes: "away", isDefault: true)
    start = markup.roots
    var end = Markup()
    end.button(.enter, title: "Apply", classes: "apply")
    apply = end.roots[0]
  }
}

extension Markup {
  fileprivate mutating func hidden(_ name: String, value: String) {
    begin(.input)
    attribute(.type, "hidden")
    attribute(.name, name)
    attribute(.value, value)
    endEmpty()
  }

  fileprivate mutating func button(
    _ action: PageAction, title: String, classes: String? = nil, isDefault: Bool = false
  ) {
    begin(.button)
    if let classes { attribute(.class, classes) }
    if isDefault {
      attribute(.tabindex, "-1")
      attribute(.ariaHidden, "true")
    }
    attribute(.name, "do")
    attribute(.value, action.text)
    text(title)
    end(.button)
  }

  fileprivate mutating func notices(_ messages: [String], isBusy: Bool) {
    for message in messages {
      begin(.p)
      attribute(.class, "notice error")
      attribute(.role, "alert")
      text(message)
      end(.p)
    }
    guard isBusy else { return }
    begin(.p)
    attribute(.class, "notice")
    attribute(.role, "status")
    element(.span, "Working… ")
    begin(.a)
    attribute(.href, "")
    text("Show the result")
    end(.a)
    end(.p)
  }

  /// Writes a button for each key that is bound on screen.
  fileprivate mutating func buttons(for keys: [KeyPress]) {
    if keys.isEmpty { return }
    begin(.nav)
    attribute(.class, "keys")
    attribute(.ariaLabel, "Keys")
    element(.span, "Keys")
    for key in keys {
      begin(.button)
      attribute(.name, "do")
      attribute(.value, PageAction.key(key.name).text)
      attribute(.dataKey, key.nameInBrowsers)
      text(key.name)
      end(.button)
    }
    end(.nav)
  }

  fileprivate mutating func meta(_ name: MarkupName, is value: String, content: String? = nil) {
    begin(.meta)
    attribute(name, value)
    if let content { attribute(.content, content) }
    endEmpty()
  }
}

extension KeyPress {
  /// The name of the key in events of browsers, such as `ctrl-ArrowUp`.
  fileprivate var nameInBrowsers: String {
    for modifier in ["ctrl-", "alt-"] where name.hasPrefix(modifier) && name != modifier {
      return modifier + KeyPress(String(name.dropFirst(modifier.count))).nameInBrowsers
    }
    switch name {
    case "return": return "Enter"
    case "delete": return "Backspace"
    case "forward-delete": return "Delete"
    case "up", "down", "left", "right":
      return "Arrow\(name.prefix(1).uppercased())\(name.dropFirst())"
    case _ where name.count < 2: return name
    default:
      return name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
  }
}

/// The document of a page.
struct PageDocument {
  private let drawing: PageDrawing
  private let stylesheet: String
  private let live: String?
  private let script: String
  private let limit: Int

  init(of session: HTMLSession, _ drawing: PageDrawing) {
    self.drawing = drawing
    (stylesheet, live, script) = (session.stylesheet, session.live, session.script)
    limit = session.limits.messageLength
  }

  /// Returns the document.
  ///
  /// - Parameter page: The name of the page, if a script keeps it up to date.
  func bytes(page: String?) -> [UInt8] {
    var markup = Markup()
    markup.begin(.html)
    markup.attribute(.lang, "en")
    head(&markup, isLive: page != nil)
    markup.begin(.body)
    if let page, let live {
      markup.attribute(.dataLive, live)
      markup.attribute(.dataPage, page)
      markup.attribute(.dataLimit, "\(limit)")
    }
    markup.append(drawing.form)
    markup.end(.body)
    markup.end(.html)
    var bytes = Array("<!DOCTYPE html>\n".utf8)
    markup.roots.forEach { $0.write(to: &bytes, focus: drawing.focus) }
    return bytes
  }

  private func head(_ markup: inout Markup, isLive: Bool) {
    markup.begin(.head)
    markup.meta(.charset, is: "utf-8")
    markup.meta(.name, is: "viewport", content: "width=device-width, initial-scale=1")
    if drawing.isRefreshed { markup.meta(.httpEquiv, is: "refresh", content: "2") }
    markup.element(.title, drawing.title)
    markup.begin(.link)
    markup.attribute(.rel, "stylesheet")
    markup.address(.href, stylesheet)
    markup.endEmpty()
    if isLive {
      markup.begin(.script)
      markup.address(.src, script)
      markup.attribute(.defer, "")
      markup.end(.script)
    }
    markup.end(.head)
  }
}
