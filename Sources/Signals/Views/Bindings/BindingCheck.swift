// What is wrong with the value of a binding, and how that is narrowed on the way into the value.

/// Knows what is wrong with a value.
protocol BindingCheck {
  /// What is wrong; a read is a dependency.
  var errors: [String] { get }
  /// What was typed into a field of the value and is none, if that is kept; a read is a dependency.
  var text: String? { get }
  /// What is asked, if that is known: checks of one origin are the same input of a view.
  var origin: BindingOrigin? { get }

  /// Keeps what was typed and is no value, or drops it; the answer is whether it keeps something now.
  func keepText(_ typed: TypedText?) -> Bool

  /// The check of a property of an object that is the value; `name` finds out what it is called.
  func member(_ path: AnyKeyPath, name: @escaping () -> String?) -> any BindingCheck
  /// The check of a part of the value that is no object: nobody tells what is wrong with that alone.
  func part(_ key: AnyHashable) -> any BindingCheck
  /// The check of an object in a list that is the value: what tells it from others, and where it stands now.
  func element(_ key: AnyHashable, position: @escaping () -> Any?) -> any BindingCheck
}

/// A closure of the user's: it is about the value, whatever part of it is edited.
struct ClosureCheck: BindingCheck {
  let check: () -> [String]

  var errors: [String] { check() }
  var text: String? { nil }
  var origin: BindingOrigin? { nil }

  func keepText(_ typed: TypedText?) -> Bool { false }
  func member(_ path: AnyKeyPath, name: @escaping () -> String?) -> any BindingCheck { self }
  func part(_ key: AnyHashable) -> any BindingCheck { self }
  func element(_ key: AnyHashable, position: @escaping () -> Any?) -> any BindingCheck { self }
}

/// A draft, asked for one of its properties, and for all that is embedded there.
struct DraftCheck: BindingCheck {
  private let core: DraftCore
  private let place: BindingOrigin
  private let path: () -> String?
  /// The same, and nil if that is of something around what the binding leads to.
  private let exactPath: () -> String?
  /// What part of the property's value, if that is no object and the binding leads on into it.
  private let part: [AnyHashable]

  /// Asks a draft about a property of its object; `name` finds out what it is called.
  init(_ core: DraftCore, _ property: AnyKeyPath, name: @escaping () -> String?) {
    self.init(core, BindingOrigin(core).member(property), name, name)
  }

  private init(
    _ core: DraftCore, _ origin: BindingOrigin, _ path: @escaping () -> String?,
    _ exactPath: @escaping () -> String?, part: [AnyHashable] = []
  ) {
    self.core = core
    place = origin
    self.path = path
    self.exactPath = exactPath
    self.part = part
  }

  var errors: [String] { core.shownErrors(below: path, part: part).map(\.message) }
  var text: String? { core.text(at: exactPath, part: part) }
  var origin: BindingOrigin? { place }

  func keepText(_ typed: TypedText?) -> Bool {
    core.keepText(typed, at: exactPath, part: part)
  }

  func member(_ property: AnyKeyPath, name: @escaping () -> String?) -> any BindingCheck {
    func joined(_ path: @escaping () -> String?) -> () -> String? {
      { path().flatMap { path in name().map { "\(path).\($0)" } } }
    }
    let (path, full) = (path, joined(path))
    // What is no property of its own is part of what it is computed from.
    return DraftCheck(
      core, place.member(property), { full() ?? path() }, joined(exactPath))
  }

  func part(_ key: AnyHashable) -> any BindingCheck {
    DraftCheck(core, place.member(key), path, exactPath, part: part + [key])
  }

  func element(_ key: AnyHashable, position: @escaping () -> Any?) -> any BindingCheck {
    func joined(_ path: @escaping () -> String?) -> () -> String? {
      { path().flatMap { path in position().map { "\(path)[\($0)]" } } }
    }
    return DraftCheck(core, place.member(key), joined(path), joined(exactPath))
  }
}
