/// The stored objects that link to this one through a given property, kept live.
///
/// - Each owner appears once, however often it links. ``Backlinks/multiplicity(of:)`` returns how
///   often.
/// - Owners are in the order in which they were added to the store.
/// - Reading it registers a dependency.
/// - It is empty while the object isn't stored.
///
/// ```swift
/// final class Book: Object {
///   @Inverse(\Library.available) var libraries
/// }
/// ```
///
/// - Complexity: A read is O(*m* log *m*), where *m* is the number of owners.
@propertyWrapper
public struct Inverse<Owner: Object>: InverseProperty {
  /// The owner's property that links to this object.
  let path: any AnyKeyPath & Sendable

  /// Creates the inverse of a list property of the owner.
  ///
  /// - Parameter path: The key path of the list.
  public init<Target: Object>(_ path: any KeyPath<Owner, List<Target>> & Sendable) {
    self.path = path
  }

  /// Creates the inverse of a link of the owner.
  ///
  /// - Parameter path: The key path of the link.
  public init<Target: Object>(_ path: any KeyPath<Owner, Target?> & Sendable) {
    self.path = path
  }

  /// Always empty; writing it does nothing.
  ///
  /// An inverse is derived and stores nothing.
  public var stored: Backlinks<Owner> {
    get { Backlinks(owners: [], multiplicities: [:], target: nil) }
    set {}
  }

  /// Returns whether both have the same owners in the same order, which link equally often.
  ///
  /// - Parameters:
  ///   - old: The back-links before.
  ///   - new: The back-links after.
  /// - Returns: Whether the two are equal.
  public static func isSame(_ old: Backlinks<Owner>, as new: Backlinks<Owner>) -> Bool {
    old == new
  }

  /// The property's role in the graph, ``PropertyRole/inverse``.
  public static var role: PropertyRole { .inverse }

  /// Unavailable, because only properties of ``Object`` subclasses can be wrapped.
  @available(*, unavailable, message: "@Inverse is for properties of Object subclasses")
  public var wrappedValue: Backlinks<Owner> { fatalError("unavailable") }

  /// Reads the property; Swift calls this subscript for `book.libraries`.
  ///
  /// - Parameters:
  ///   - target: The object that has the property.
  ///   - wrapped: The key path of the property.
  ///   - storage: The key path of the property's wrapper.
  public static subscript<Target: Object>(
    _enclosingInstance target: Target,
    wrapped wrapped: KeyPath<Target, Backlinks<Owner>>,
    storage storage: ReferenceWritableKeyPath<Target, Self>
  ) -> Backlinks<Owner> {
    if Node.hasReader {
      target.track(UncheckedPointer(to: storage, of: target).offset(in: target))
    }
    return target[keyPath: storage].owners(of: target)
  }

  func owners(of target: Object) -> Backlinks<Owner> {
    var owners: [Owner] = []
    var multiplicities: [ObjectIdentifier: Int] = [:]
    // Retained, because evaluating the path runs user code, which may release the store.
    let entries = target.backlinks?.entries ?? []
    let sources = entries.map { $0.source }
    for (entry, source) in zip(entries, sources) where follows(source, at: entry.offset) {
      guard let owner = source as? Owner else { continue }
      owners.append(owner)
      if entry.multiplicity > 1 { multiplicities[ObjectIdentifier(owner)] = entry.multiplicity }
    }
    withExtendedLifetime(sources) {}
    owners.sort { $0.sequence < $1.sequence }
    return Backlinks(
      owners: owners, multiplicities: multiplicities, target: target)
  }

  func snapshot(of target: Object) -> any PreviousValue {
    OwnersBefore(inverse: self, owners: owners(of: target))
  }

  func follows(_ source: Object, at offset: Int) -> Bool {
    source is Owner && source.table != nil
      && PropertyResolver.current.property(
        of: path, in: type(of: source), isExact: false, source)?.offset == offset
  }
}

/// The owners found by an ``Inverse``, each of them once.
public struct Backlinks<Owner: Object>: RandomAccessCollection, Equatable {
  let owners: [Owner]
  /// The counts of the owners that link more than once.
  let multiplicities: [ObjectIdentifier: Int]
  /// The object that they link to, for messages.
  let target: Object?

  /// The position of the first element, always 0.
  public var startIndex: Int { 0 }

  /// The position after the last element, which is the number of owners.
  public var endIndex: Int { owners.count }

  /// The owner at a position; an invalid position traps.
  ///
  /// - Parameter position: The position of the owner.
  public subscript(position: Int) -> Owner {
    if position < 0 || position >= owners.count {
      let name = target.map { StoreError.Subject($0).description } ?? "an object"
      trap("index \(position) is outside of the \(owners.count) \(Owner.self) that link to \(name)")
    }
    return owners[position]
  }

  /// Returns whether both have the same owners in the same order, which link equally often.
  ///
  /// - Parameters:
  ///   - lhs: A value to compare.
  ///   - rhs: Another value to compare.
  /// - Returns: Whether the two are equal.
  public static func == (lhs: Backlinks, rhs: Backlinks) -> Bool {
    lhs.owners == rhs.owners && lhs.multiplicities == rhs.multiplicities
  }

  /// Returns how many times an owner links to the object; 0 if it doesn't.
  ///
  /// - Parameter owner: The owner.
  /// - Returns: The number of its links to the object.
  /// - Complexity: O(*m*), where *m* is the number of owners.
  public func multiplicity(of owner: Owner) -> Int {
    if let several = multiplicities[ObjectIdentifier(owner)] { return several }
    return owners.contains { $0 === owner } ? 1 : 0
  }
}

/// The owners that an inverse had before the open batch.
private struct OwnersBefore<Owner: Object>: PreviousValue {
  let inverse: Inverse<Owner>
  let owners: Backlinks<Owner>

  func isSame(_ object: Object, at offset: Int) -> Bool { inverse.owners(of: object) == owners }
}

/// An ``Inverse`` with its owner type erased.
protocol InverseProperty: PropertyStorage {
  /// Returns whether the inverse shows references from the property of `source` at an offset.
  func follows(_ source: Object, at offset: Int) -> Bool
  /// Returns the current owners, for comparison with later ones.
  func snapshot(of target: Object) -> any PreviousValue
}
