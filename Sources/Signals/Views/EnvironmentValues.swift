/// A key of the environment, with its default value.
///
/// ```swift
/// enum ThemeKey: EnvironmentKey { static var defaultValue: Theme { .light } }
///
/// extension EnvironmentValues {
///   var theme: Theme {
///     get { self[ThemeKey.self] }
///     set { self[ThemeKey.self] = newValue }
///   }
/// }
/// ```
public protocol EnvironmentKey {
  /// The type of the key's value.
  associatedtype Value
  /// The value if none has been set.
  static var defaultValue: Value { get }
}

/// The values of a view's environment.
///
/// Views set them for the views below.
///
/// A body that reads a value depends on that key only.
public struct EnvironmentValues {
  private var storage: Storage?
  /// Notified of the keys read.
  private var observer: EnvironmentReads?
  /// Handles the errors of intents.
  var errorHandler: ErrorHandler?

  /// The values that have been set, shared by all scopes below.
  private final class Storage {
    var entries: [ObjectIdentifier: Entry]

    init(_ entries: [ObjectIdentifier: Entry]) { self.entries = entries }
  }

  private struct Entry {
    let value: Any
    let isSame: (Any) -> Bool
  }

  /// Creates an environment in which every key has its default value.
  public init() {}

  /// The value of a key.
  public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
    get {
      let value = self.value(of: key)
      observer?.didRead(ObjectIdentifier(key)) { new in
        EnvironmentValues.isSame(value, new.value(of: key))
      }
      return value
    }
    set {
      var entries = storage?.entries ?? [:]
      entries[ObjectIdentifier(key)] = Entry(value: newValue) { other in
        (other as? Key.Value).map { EnvironmentValues.isSame(newValue, $0) } ?? false
      }
      storage = Storage(entries)
    }
  }

  private func value<Key: EnvironmentKey>(of key: Key.Type) -> Key.Value {
    (storage?.entries[ObjectIdentifier(key)]?.value as? Key.Value) ?? Key.defaultValue
  }

  func changed(by change: (inout EnvironmentValues) -> Void) -> EnvironmentValues {
    var copy = self
    change(&copy)
    return copy
  }

  /// The same values, with an observer that is notified of the keys read.
  func observed(by observer: EnvironmentReads) -> EnvironmentValues {
    var copy = self
    copy.observer = observer
    return copy
  }

  /// Whether both have the same values: equal ones, or the same instances.
  ///
  /// - Complexity: O(1) for copies.
  func isSame(as other: EnvironmentValues) -> Bool {
    guard errorHandler === other.errorHandler else { return false }
    if storage === other.storage { return true }
    guard let entries = storage?.entries, let others = other.storage?.entries else { return false }
    return entries.count == others.count
      && entries.allSatisfy { key, entry in
        others[key].map { entry.isSame($0.value) } ?? false
      }
  }

  private static func isSame<Value>(_ old: Value, _ new: Value) -> Bool {
    func compare<Known: Equatable>(_ old: Known) -> Bool {
      (new as? Known).map { old == $0 } ?? false
    }
    if Value.self is AnyClass { return (old as AnyObject) === (new as AnyObject) }
    if let old = old as? any Equatable { return compare(old) }
    return false
  }
}

private enum StoreKey: EnvironmentKey {
  static var defaultValue: StoreReference? { nil }
}

/// A store as an environment value, compared by identity.
private struct StoreReference: Equatable {
  let store: Store

  static func == (lhs: StoreReference, rhs: StoreReference) -> Bool { lhs.store === rhs.store }
}

private enum RestorationStoreKey: EnvironmentKey {
  static var defaultValue: StoreReference? { nil }
}

private enum EnabledKey: EnvironmentKey { static var defaultValue: Bool { true } }

extension EnvironmentValues {
  /// The store that `@ObservedResults` reads: the host's, unless a view above has set another.
  public var store: Store? {
    get { self[StoreKey.self]?.store }
    set { self[StoreKey.self] = newValue.map(StoreReference.init) }
  }

  /// The store of `@Restored` values that name none; nil for the one of ``store``.
  ///
  /// A host of one of several users sets it, so that each user has values of their own.
  public var restorationStore: Store? {
    get { self[RestorationStoreKey.self]?.store }
    set { self[RestorationStoreKey.self] = newValue.map(StoreReference.init) }
  }

  /// Whether elements can be used.
  ///
  /// Where a view above has set it to false, setting it to true has no effect.
  public var isEnabled: Bool {
    get { self[EnabledKey.self] }
    set { self[EnabledKey.self] = newValue && self[EnabledKey.self] }
  }
}
