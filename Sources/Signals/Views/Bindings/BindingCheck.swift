// Checks that report the errors of a binding's value, and how they are narrowed to parts of the
// value.

/// Reports the errors of a value.
protocol BindingCheck {
  /// The current error messages. Reads are tracked.
  var errors: [String] { get }
  /// The kept text that was typed into the value's field and can't be parsed, if any. Reads are
  /// tracked.
  var text: String? { get }
  /// The source and path of the check, if known. Checks with equal origins are the same input of a
  /// view.
  var origin: BindingOrigin? { get }

  /// Keeps text that can't be parsed, or drops the kept text if `typed` is nil.
  ///
  /// - Returns: Whether the check keeps a text now.
  func keepText(_ typed: TypedText?) -> Bool

  /// The check of a property of the value, which is an object; `name` finds the property's name.
  func member(_ path: AnyKeyPath, name: @escaping () -> String?) -> any BindingCheck
  /// The check of a part of the value that isn't an object. Such a part has no separate errors.
  func part(_ key: AnyHashable) -> any BindingCheck
  /// The check of an object in the value, which is a list.
  ///
  /// - Parameters:
  ///   - key: Identifies the element among the others.
  ///   - position: The element's current position.
  func element(_ key: AnyHashable, position: @escaping () -> Any?) -> any BindingCheck
}

/// A user's closure.
///
/// Its errors are those of the whole value, whichever part is edited.
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

/// The errors of one property of a draft and of the objects embedded there.
struct DraftCheck: BindingCheck {
  private let core: DraftCore
  private let place: BindingOrigin
  private let path: () -> String?
  /// The same path, but nil if `path` is only that of an enclosing property.
  private let exactPath: () -> String?
  /// The keys of the part within the property's value, if the binding leads into a value that isn't
  /// an object.
  private let part: [AnyHashable]

  /// Creates the check of a property of the draft's object; `name` finds the property's name.
  init(_ core: DraftCore, property: AnyKeyPath, name: @escaping () -> String?) {
    self.init(
      core, at: BindingOrigin(core).member(property), path: name, exactPath: name)
  }

  private init(
    _ core: DraftCore, at origin: BindingOrigin, path: @escaping () -> String?,
    exactPath: @escaping () -> String?, part: [AnyHashable] = []
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
    // A computed property has no path. The path of the enclosing property is used instead.
    return DraftCheck(
      core, at: place.member(property), path: { full() ?? path() },
      exactPath: joined(exactPath))
  }

  func part(_ key: AnyHashable) -> any BindingCheck {
    DraftCheck(
      core, at: place.member(key), path: path, exactPath: exactPath, part: part + [key])
  }

  func element(_ key: AnyHashable, position: @escaping () -> Any?) -> any BindingCheck {
    func joined(_ path: @escaping () -> String?) -> () -> String? {
      { path().flatMap { path in position().map { "\(path)[\($0)]" } } }
    }
    return DraftCheck(
      core, at: place.member(key), path: joined(path), exactPath: joined(exactPath))
  }
}
