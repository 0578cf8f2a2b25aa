internal import Signals

/// A single action of a monkey.
enum MonkeyMove: Equatable {
  case use(ElementPlace, with: ElementInput)
  /// Taps an element with an async intent.
  case start(ElementPlace)
  case press(KeyPress)
  /// Runs this number of pieces of work on the actor.
  case step(Int)

  /// Whether the move is a user action.
  var isIntent: Bool { if case .step = self { false } else { true } }

  /// The move as a line of a test.
  var code: String {
    switch self {
    case .use(let place, with: let input): "try app." + MonkeyMove.call(of: input, on: place.code)
    case .start(let place): "try app.start(\(place.code))"
    case .press(let key): "try app.press(\(key.name.debugDescription))"
    case .step(let count): "await stage.step(\(count))"
    }
  }

  private static func call(of input: ElementInput, on element: String) -> String {
    switch input {
    case .tap: "tap(\(element))"
    case .text(let text): "type(\(text.debugDescription), into: \(element))"
    case .flag(let isOn): "toggle(\(element), to: \(isOn))"
    case .choice(let option): "select(\(option.debugDescription), in: \(element))"
    case .submit: "submit(\(element))"
    case .move(let offsets, let destination):
      "move(\(offsets), toOffset: \(destination), in: \(element))"
    case .key(let key): "press(\(key.name.debugDescription))"
    }
  }

  /// Returns a closure that performs the move.
  ///
  /// Throws the host's error if the move isn't possible on this screen.
  func intent(on app: TestHost) throws -> () throws -> Void {
    let host = app.host
    switch self {
    case .use(let place, with: let input):
      let element = try place.element(on: app)
      let intent = try host.resolve(.element(element), with: input, called: .synchronous)
      return { try host.perform(intent) }
    case .start(let place):
      let element = try place.element(on: app)
      let intent = try host.resolve(.element(element), with: .tap, called: .started)
      return { try host.perform(intent) }
    case .press(let key):
      guard host.keys.contains(key) else { throw HostError.noKey(key, keys: host.keys) }
      return { try host.perform(.key(key)) }
    case .step: return {}
    }
  }

  /// Returns a random move among those that are possible on a screen, or nil if there are none.
  ///
  /// Async intents are included if `mayStart` is true.
  static func random(
    on app: TestHost, _ texts: [String], mayStart: Bool, using random: inout SeededRandom
  ) -> MonkeyMove? {
    let frame = app.host.frame
    let places = ElementPlaces(frame)
    let usable = places.all.filter { $0.element.hasMoves(in: frame, mayStart: mayStart) }
    let keys = app.host.keys
    guard usable.count + keys.count > 0 else { return nil }
    let number = Int.random(in: 0..<(usable.count + keys.count), using: &random)
    if number >= usable.count { return .press(keys[number - usable.count]) }
    let (element, place) = usable[number]
    if mayStart, case .asyncTap = element.action { return .start(place) }
    return element.moves(in: frame, texts: texts, random: &random).randomElement(using: &random)
      .map { .use(place, with: $0) }
  }
}

/// Identifies an element by its id, or else its kind and text, and by its number among those with
/// the same name.
struct ElementPlace: Equatable {
  struct Name: Hashable {
    let id: String?
    let kind: String
    let text: String

    init(_ element: DrawnElement) {
      id = element.id
      kind = element.id == nil ? element.kind.name : ""
      text = element.id == nil ? element.text : ""
    }
  }

  let name: Name
  let number: Int
  /// Whether no other element on screen had the same name.
  var isAlone: Bool

  func element(on app: TestHost) throws -> DrawnElement {
    let alike = app.elements { Name($0) == name }
    guard number < alike.count else { throw HostError.noElement(code, nearest: []) }
    if isAlone, alike.count > 1 { throw HostError.ambiguousElement(code) }
    return alike[number]
  }

  /// The expression with which a test finds the element.
  var code: String {
    guard let id = name.id else {
      let text = name.text.debugDescription
      return
        "app.elements { $0.kind.name == \"\(name.kind)\" && $0.text == \(text) }[\(number)]"
    }
    if isAlone { return id.debugDescription }
    return "app.elements { $0.id == \(id.debugDescription) }[\(number)]"
  }
}

/// The enabled elements on screen, with their places.
private struct ElementPlaces {
  private(set) var all: [(element: DrawnElement, place: ElementPlace)] = []

  init(_ frame: Frame) {
    var counts: [ElementPlace.Name: Int] = [:]
    frame.forEach { element in
      let name = ElementPlace.Name(element)
      let number = counts[name, default: 0]
      counts[name] = number + 1
      guard element.isEnabled else { return }
      all.append((element, ElementPlace(name: name, number: number, isAlone: false)))
    }
    for index in all.indices where counts[all[index].place.name] == 1 {
      all[index].place.isAlone = true
    }
  }
}

extension DrawnElement {
  fileprivate func hasMoves(in frame: Frame, mayStart: Bool) -> Bool {
    switch action {
    case .tap, .text, .flag, .open: return true
    case .choice:
      if case .choice(_, let options) = value, !options.isEmpty { return true }
    case .asyncTap: if mayStart { return true }
    case .none: break
    }
    return submit != nil || (move != nil && frame.rowCount(in: children) > 1)
  }

  fileprivate func moves(
    in frame: Frame, texts: [String], random: inout SeededRandom
  ) -> [ElementInput] {
    var moves: [ElementInput] = []
    switch (action, value) {
    case (.tap, _), (.open, _): moves.append(.tap)
    case (.text, _): moves.append(.text(texts.randomElement(using: &random) ?? ""))
    case (.flag, .flag(let isOn)): moves.append(.flag(!isOn))
    case (.flag, _): moves.append(.flag(Bool.random(using: &random)))
    case (.choice, .choice(_, let options)):
      if let option = options.randomElement(using: &random) { moves.append(.choice(option.id)) }
    default: break
    }
    if submit != nil { moves.append(.submit) }
    let rows = move == nil ? 0 : frame.rowCount(in: children)
    if rows > 1 {
      // One row or two, which need not be adjacent.
      let offsets = Set((0..<2).map { _ in Int.random(in: 0..<rows, using: &random) })
      moves.append(
        .move(offsets.sorted(), toOffset: Int.random(in: 0...rows, using: &random)))
    }
    return moves
  }
}
