/// The action of a button on a page.
///
/// The button sends it as text: the kind, followed by names of the page.
enum PageAction: Equatable {
  /// Only takes what was typed, and submits it if it is clear which field it was typed into.
  case enter
  case tap(String)
  case set(String, isOn: Bool)
  case submit(String)
  case move(list: String, row: String, isUp: Bool)
  case rows(String, from: Int)
  case key(String)

  /// Whether the user asks for something to be done.
  ///
  /// A script asks for rows as they come into view.
  var isPress: Bool { if case .rows = self { false } else { true } }

  /// The text that a button sends.
  var text: String {
    switch self {
    case .enter: ""
    case .tap(let name): "tap.\(name)"
    case .set(let name, let isOn): "\(isOn ? "on" : "off").\(name)"
    case .submit(let name): "submit.\(name)"
    case .move(let list, let row, let isUp): "\(isUp ? "up" : "down").\(list).\(row)"
    case .rows(let name, let first): "rows.\(name).\(first)"
    case .key(let name): "key.\(name)"
    }
  }

  /// Reads the text that a button has sent; nil if no button sends it.
  init?(_ text: String) {
    if text.isEmpty {
      self = .enter
      return
    }
    if text.hasPrefix("key.") {
      self = .key(String(text.dropFirst(4)))
      return
    }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    switch (parts.first, parts.count) {
    case ("tap", 2): self = .tap(parts[1])
    case ("on", 2): self = .set(parts[1], isOn: true)
    case ("off", 2): self = .set(parts[1], isOn: false)
    case ("submit", 2): self = .submit(parts[1])
    case ("up", 3): self = .move(list: parts[1], row: parts[2], isUp: true)
    case ("down", 3): self = .move(list: parts[1], row: parts[2], isUp: false)
    case ("rows", 3):
      guard let first = Int(parts[2]) else { return nil }
      self = .rows(parts[1], from: first)
    default: return nil
    }
  }
}
