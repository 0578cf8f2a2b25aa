/// An error about an input that a host can't perform.
public enum HostError: Error, Equatable, CustomStringConvertible {
  /// No element on screen has this id; `nearest` are the most similar ids on screen.
  case noElement(String, nearest: [String])
  /// Several elements on screen have this id; `among` identifies the first few of them.
  case ambiguousElement(String, among: [ElementID] = [])
  /// The element is no longer on screen, or has changed; it is named by its id or its identity.
  case gone(String)
  /// The element is disabled.
  case disabled(String)
  /// The element doesn't take this kind of input.
  case wrongInput(String, kind: ElementKind, ElementInput)
  /// The element has no such option.
  case noOption(String, option: String, options: [String])
  /// Several options of the picker have this title; `ids` tell them apart, if the options have ids.
  case ambiguousOption(String, title: String, ids: [String] = [])
  /// The intent may suspend; use `performAsync`.
  case asyncIntent(String)
  /// Another async intent is under way, and the host has no actor on which both could run.
  case busy(String)
  /// An earlier run of the intent is under way, and the intent refuses another one; see
  /// ``IntentOverlap/refused``.
  case underWay(String)
  /// The element is hidden or covered.
  case hidden(String)
  /// An offset of a move is out of the range of the element's rows.
  case noRow(String, offset: Int, count: Int)
  /// No content on screen is bound to the key; `keys` are the keys that are bound.
  case noKey(KeyPress, keys: [KeyPress])
  /// All content that is bound to the key is disabled.
  case disabledKey(KeyPress)
  /// The key's intent may suspend; use `performAsync`.
  case asyncKey(KeyPress)
  /// The work named here needs a task, and the host wasn't made on an actor that could run it.
  case needsActor(String)

  /// The task of a view can't start, because the host wasn't made on an actor that could run it.
  case taskNeedsActor(String)

  /// A message that says what can't be done, with the element's id.
  public var description: String {
    switch self {
    case .noElement(let id, let nearest):
      "no element with the id \"\(id)\" is on screen"
        + (nearest.isEmpty ? "" : "; nearest: \(nearest.joined(separator: ", "))")
    case .ambiguousElement(let id, let among):
      "several elements with the id \"\(id)\" are on screen: what repeats needs ids of its own, made of a key"
        + (among.isEmpty ? "" : "; they are \(among.map(\.description).joined(separator: ", "))")
    case .gone(let id): "the element \"\(id)\" is not on screen any more"
    case .disabled(let id): "the element \"\(id)\" is disabled"
    case .wrongInput(let id, let kind, let input):
      "the element \"\(id)\" is a \(kind) and can't take \(input)"
    case .noOption(let id, let option, let options):
      "the element \"\(id)\" has no option \"\(option)\", only \(options.joined(separator: ", "))"
    case .ambiguousOption(let id, let title, let ids):
      "several options of \"\(id)\" are called \"\(title)\"\(HostError.describe(ids))"
    case .asyncIntent(let id): "the intent of \"\(id)\" is async: use performAsync"
    case .busy(let id): "another async intent is under way, \"\(id)\" has to wait"
    case .underWay(let id): "the intent of \"\(id)\" is under way, and refuses another run"
    case .hidden(let id): "the element \"\(id)\" is hidden"
    case .noRow(let id, let offset, let count):
      "the element \"\(id)\" has \(count) rows, and no place \(offset)"
    case .noKey(let key, let keys):
      "the key \"\(key)\" is bound to nothing on screen"
        + (keys.isEmpty ? "" : "; bound are: \(keys.map(\.name).joined(separator: ", "))")
    case .disabledKey(let key): "what the key \"\(key)\" is bound to is disabled"
    case .asyncKey(let key): "the key \"\(key)\" is bound to an async intent: use performAsync"
    case .needsActor(let name): "\(name) needs an actor to run a task on: \(HostError.onActor)"
    case .taskNeedsActor(let name):
      "\(name) needs an actor to run on, and does not start: \(HostError.onActor)"
    }
  }
}

extension HostError {
  fileprivate static func describe(_ ids: [String]) -> String {
    ids.isEmpty
      ? ", and their values have no id or description to tell them apart"
      : ": choose one by its id, \(ids.joined(separator: ", "))"
  }

  fileprivate static let onActor =
    "make its host on one; a function that makes it takes isolation: isolated (any Actor)? = #isolation"
}
