// What is wrong with the value of a binding, and how that is narrowed on the way into the value.

/// Knows what is wrong with a value.
protocol BindingCheck {
  /// What is wrong; a read is a dependency.
  var errors: [String] { get }
  /// What is asked, if that is known: checks of one origin are the same input of a view.
  var origin: BindingOrigin? { get }
  /// How often what is checked was loaded anew: what was typed before that, and is no value, is dropped.
  var loadCount: Int { get }

  /// The check of a property of an object that is the value; `name` finds out what it is called.
  func member(_ path: AnyKeyPath, name: @escaping () -> String?) -> any BindingCheck
  /// The check of an object in a list that is the value.
  func element(at position: AnyHashable) -> any BindingCheck
}

/// A closure of the user's: it is about the value, whatever part of it is edited.
struct ClosureCheck: BindingCheck {
  let check: () -> [String]

  var errors: [String] { check() }
  var origin: BindingOrigin? { nil }
  var loadCount: Int { 0 }

  func member(_ path: AnyKeyPath, name: @escaping () -> String?) -> any BindingCheck { self }
  func element(at position: AnyHashable) -> any BindingCheck { self }
}

/// A draft, asked for one of its properties, and for all that is embedded there.
struct DraftCheck: BindingCheck {
  private let core: DraftCore
  private let place: BindingOrigin
  private let path: () -> String?

  /// Asks a draft about a property of its object; `name` finds out what it is called.
  init(_ core: DraftCore, _ property: AnyKeyPath, name: @escaping () -> String?) {
    self.init(core, BindingOrigin(core).member(property), name)
  }

  private init(_ core: DraftCore, _ origin: BindingOrigin, _ path: @escaping () -> String?) {
    self.core = core
    place = origin
    self.path = path
  }

  var errors: [String] { core.shownErrors(below: path).map(\.message) }
  var origin: BindingOrigin? { place }
  var loadCount: Int { core.loadCount }

  func member(_ property: AnyKeyPath, name: @escaping () -> String?) -> any BindingCheck {
    let path = path
    return DraftCheck(core, place.member(property)) {
      guard let path = path() else { return nil }
      // What is no property of its own is part of what it is computed from.
      return name().map { "\(path).\($0)" } ?? path
    }
  }

  func element(at position: AnyHashable) -> any BindingCheck {
    let path = path
    return DraftCheck(core, place.member(position)) { path().map { "\($0)[\(position)]" } }
  }
}
