/// The stored objects that link here through one property, kept live.
///
/// - Each owner appears once, however often it links; ``Backlinks/multiplicity(of:)`` tells how often.
/// - Owners stand in the order in which they were added to the store.
/// - Reading it is a dependency; it is empty while the object is not stored.
///
/// A read costs O(m log m) for m owners.
///
/// ```swift
/// final class Book: Object {
///   @Inverse(\Library.available) var libraries
/// }
/// ```
@propertyWrapper
public struct Inverse<Owner: Object>: InverseProperty {
  /// The property of the owner that links here.
  let path: any AnyKeyPath & Sendable
  private let evaluate: @Sendable (Owner) -> Void

  /// Follows a list property of the owner back.
  public init<Target: Object>(_ path: any KeyPath<Owner, List<Target>> & Sendable) {
    self.path = path
    evaluate = { _ = $0[keyPath: path] }
  }

  /// Follows a link of the owner back.
  public init<Target: Object>(_ path: any KeyPath<Owner, Target?> & Sendable) {
    self.path = path
    evaluate = { _ = $0[keyPath: path] }
  }

  // An inverse is derived: there is nothing to store.
  /// What the storage holds now.
  public var stored: Backlinks<Owner> {
    get { Backlinks(owners: [], multiplicities: [:], target: nil) }
    set {}
  }

  /// Whether writing one value over the other changes nothing.
  public static func isSame(_ old: Backlinks<Owner>, _ new: Backlinks<Owner>) -> Bool {
    old == new
  }

  /// What the property means to the graph.
  public static var role: PropertyRole { .inverse }

  /// Only properties of ``Object`` subclasses can be wrapped.
  @available(*, unavailable, message: "@Inverse is for properties of Object subclasses")
  public var wrappedValue: Backlinks<Owner> { fatalError("unavailable") }

  /// Reads the property; Swift calls this for `book.libraries`.
  public static subscript<Target: Object>(
    _enclosingInstance target: Target,
    wrapped wrapped: KeyPath<Target, Backlinks<Owner>>,
    storage storage: ReferenceWritableKeyPath<Target, Self>
  ) -> Backlinks<Owner> {
    if unsafe Node.reader != nil {
      let address = unsafe withUnsafeMutablePointer(to: &target[keyPath: storage]) { unsafe $0 }
      unsafe target.track(Object.offset(of: UnsafeMutableRawPointer(address), in: target))
    }
    return target[keyPath: storage].owners(of: target)
  }

  func owners(of target: Object) -> Backlinks<Owner> {
    var owners: [Owner] = []
    var multiplicities: [ObjectIdentifier: Int] = [:]
    // Kept: a path that is asked is user code, with which the store may go.
    let entries = unsafe target.backlinks?.entries ?? []
    let sources = entries.map { unsafe $0.source }
    for (entry, source) in zip(entries, sources) where follows(source, entry.offset) {
      guard let owner = source as? Owner else { continue }
      owners.append(owner)
      if entry.multiplicity > 1 { multiplicities[ObjectIdentifier(owner)] = entry.multiplicity }
    }
    withExtendedLifetime(sources) {}
    owners.sort { unsafe $0.sequence < $1.sequence }
    return Backlinks(
      owners: owners, multiplicities: multiplicities, target: (type(of: target), target.objectID))
  }

  func snapshot(of target: Object) -> any PropertyBefore {
    OwnersBefore(inverse: self, owners: owners(of: target))
  }

  func follows(_ source: Object, _ offset: Int) -> Bool {
    guard let owner = source as? Owner, let store = unsafe source.extent?.store else {
      return false
    }
    return store.offsets.offset(of: path, on: owner) { evaluate(owner) } == offset
  }
}

/// The owners that an ``Inverse`` found, each once.
public struct Backlinks<Owner: Object>: RandomAccessCollection, Equatable {
  let owners: [Owner]
  /// Only those that link more than once.
  let multiplicities: [ObjectIdentifier: Int]
  /// What they link to, for messages.
  let target: (type: Object.Type, id: ObjectID)?

  /// The position of the first element: 0.
  public var startIndex: Int { 0 }

  /// The number of elements.
  public var endIndex: Int { owners.count }

  /// The element at a position, which must be one.
  public subscript(position: Int) -> Owner {
    if position < 0 || position >= owners.count {
      let name = target.map { "\($0.type) \($0.id)" } ?? "an object"
      trap("index \(position) is outside of the \(owners.count) \(Owner.self) that link to \(name)")
    }
    return owners[position]
  }

  /// Two are equal if they have the same owners, which link equally often.
  public static func == (lhs: Backlinks, rhs: Backlinks) -> Bool {
    lhs.owners == rhs.owners && lhs.multiplicities == rhs.multiplicities
  }

  /// How many times an owner links here.
  ///
  /// O(m).
  public func multiplicity(of owner: Owner) -> Int {
    if let several = multiplicities[ObjectIdentifier(owner)] { return several }
    return owners.contains { $0 === owner } ? 1 : 0
  }
}

/// What an inverse found.
private struct OwnersBefore<Owner: Object>: PropertyBefore {
  let inverse: Inverse<Owner>
  let owners: Backlinks<Owner>

  func isSame(_ object: Object, at offset: Int) -> Bool { inverse.owners(of: object) == owners }
}

/// An inverse, whatever the type of its owners.
protocol InverseProperty: StoredProperty {
  /// Whether a reference from this property of `source` is one of those that the inverse shows.
  func follows(_ source: Object, _ offset: Int) -> Bool
  /// The present owners, to compare with later ones.
  func snapshot(of target: Object) -> any PropertyBefore
}
