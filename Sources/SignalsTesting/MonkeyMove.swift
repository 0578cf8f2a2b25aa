internal import Signals

/// One thing that a monkey does.
enum MonkeyMove: Equatable {
  case use(String, ElementInput)
  case press(KeyPress)

  /// The move as a line of a test.
  var code: String {
    switch self {
    case .press(let key): "try app.press(\(key.name.debugDescription))"
    case .use(let id, let input): "try app." + MonkeyMove.call(input, id.debugDescription)
    }
  }

  private static func call(_ input: ElementInput, _ id: String) -> String {
    switch input {
    case .tap: "tap(\(id))"
    case .text(let text): "type(\(text.debugDescription), into: \(id))"
    case .flag(let isOn): "toggle(\(id), to: \(isOn))"
    case .choice(let option): "select(\(option.debugDescription), in: \(id))"
    case .submit: "submit(\(id))"
    case .move(let offsets, let destination):
      "move(\(offsets), toOffset: \(destination), in: \(id))"
    case .key(let key): "press(\(key.name.debugDescription))"
    }
  }

  /// Does it.
  func perform(on app: TestHost) throws {
    switch self {
    case .use(let id, let input): try app.host.perform(id, input)
    case .press(let key): try app.host.press(key)
    }
  }

  /// One of all that can be done on a screen, if anything can.
  ///
  /// Elements whose id others have too, and async ones, are left alone.
  static func random(
    on app: TestHost, _ texts: [String], using random: inout SeededRandom
  ) -> MonkeyMove? {
    var candidates: [DrawnElement] = []
    var count: [String: Int] = [:]
    let frame = app.host.frame
    frame.forEach { element in
      guard let id = element.id else { return }
      count[id, default: 0] += 1
      if element.isEnabled { candidates.append(element) }
    }
    let usable = candidates.filter { count[$0.id ?? ""] == 1 && $0.hasMoves(in: frame) }
    let keys = app.host.keys
    guard usable.count + keys.count > 0 else { return nil }
    let place = Int.random(in: 0..<(usable.count + keys.count), using: &random)
    if place >= usable.count { return .press(keys[place - usable.count]) }
    let element = usable[place]
    guard let id = element.id,
      let input = element.moves(in: frame, texts, &random).randomElement(using: &random)
    else { return nil }
    return .use(id, input)
  }
}

extension DrawnElement {
  fileprivate func hasMoves(in frame: Frame) -> Bool {
    switch action {
    case .tap, .text, .flag: true
    case .choice: if case .choice(_, let options) = value { !options.isEmpty } else { false }
    case .none, .asyncTap: submit != nil || (move != nil && frame.rowCount(in: children) > 1)
    }
  }

  fileprivate func moves(
    in frame: Frame, _ texts: [String], _ random: inout SeededRandom
  ) -> [ElementInput] {
    var moves: [ElementInput] = []
    switch (action, value) {
    case (.tap, _): moves.append(.tap)
    case (.text, _): moves.append(.text(texts.randomElement(using: &random) ?? ""))
    case (.flag, .flag(let isOn)): moves.append(.flag(!isOn))
    case (.flag, _): moves.append(.flag(Bool.random(using: &random)))
    case (.choice, .choice(_, let options)):
      if let option = options.randomElement(using: &random) { moves.append(.choice(option)) }
    default: break
    }
    if submit != nil { moves.append(.submit) }
    let rows = move == nil ? 0 : frame.rowCount(in: children)
    if rows > 1 {
      moves.append(
        .move(
          [Int.random(in: 0..<rows, using: &random)],
          toOffset: Int.random(in: 0...rows, using: &random)))
    }
    return moves
  }
}
