/// An object that belongs to exactly one other object and is deleted with it.
///
/// Typical examples are an address, or the lines of an order.
///
/// - It is owned by the property that links to it: a ``Link``, or one position in a ``Links`` list.
/// - Deleting the owner deletes it. Unlinking it also deletes it, at the end of the transaction.
///   The instance keeps its last values, and undo brings it back.
/// - Linking an embedded object that has an owner is refused, and so is a second position in the
///   same list. To move it, unlink it and link it elsewhere in one `write`. It then keeps the
///   objects that it embeds itself.
/// - It can't be added on its own, can't be part of itself, and can't have a primary key.
///
/// Objects may share an embedded object as long as none of them is stored. Sharing is checked when
/// they are added.
///
/// The errors are ``StoreError/alreadyEmbedded(_:target:owner:)``,
/// ``StoreError/embeddedInItself(_:target:)`` and ``StoreError/embeddedWithoutOwner(_:)``.
///
/// ```swift
/// final class Address: EmbeddedObject {
///   @Field var city = ""
/// }
/// final class Person: Object {
///   @Link var address: Address?
/// }
/// ```
open class EmbeddedObject: Object {
  /// Creates an embedded object without an owner.
  public required init() {
    super.init()
    isEmbedded = true
  }

  /// The stored object that owns this one, or `nil` if there is none.
  ///
  /// Reading it registers a dependency.
  ///
  /// - Complexity: O(1)
  public final var owner: Object? {
    if Node.hasReader { track(Object.ownerOffset) }
    return ownership?.source
  }

  /// Returns an unstored copy of the object and of everything that it embeds.
  ///
  /// Links to other objects have the same targets as in the original. Copying registers no
  /// dependency.
  ///
  /// - Returns: The copy.
  /// - Complexity: O(*n*), where *n* is the size of the copy.
  public final func copy() -> Self {
    knownDowncast(DetachedCopy(of: self).root, to: Self.self)
  }
}

extension Object {
  /// The property that owns an embedded object; the first one if several link to it.
  var ownership: (source: Object, offset: Int)? {
    backlinks?.entries.first.map { ($0.source, $0.offset) }
  }
}

/// An unstored copy of an object and of everything that it embeds.
struct DetachedCopy {
  let root: Object
  /// The copy of each original.
  private(set) var copies: [Object: Object] = [:]
  /// Originals with their copies, owners first.
  private(set) var pairs: [(original: Object, copy: Object)] = []

  /// Copies an object and everything that it embeds, iteratively.
  ///
  /// - Parameter present: Existing copies of some of the objects. They are reused and overwritten.
  init(of original: Object, reusing present: [Object: Object] = [:]) {
    root = present[original] ?? type(of: original).init()
    add(original, copy: root)
    var next = 0
    while next < pairs.count {
      let (original, _) = pairs[next]
      next += 1
      for property in original.schema.embedding {
        for part in property.targets(in: original) where part.isEmbedded && copies[part] == nil {
          add(part, copy: present[part] ?? type(of: part).init())
        }
      }
    }
    for (original, copy) in pairs { original.copyValues(to: copy, replacing: copies) }
  }

  private mutating func add(_ original: Object, copy: Object) {
    copies[original] = copy
    pairs.append((original, copy))
  }
}

extension Object {
  /// The schema of the object's class, taken from the object's table while it is stored.
  final var schema: Schema { table?.schema ?? Schema.shared(of: type(of: self)) }

  /// Copies the values of this object to an unstored one, with linked objects replaced by others.
  fileprivate func copyValues(to copy: Object, replacing others: [Object: Object]) {
    for property in schema.properties where property.role != .inverse {
      if property.role == .link || property.role == .links { copy.holdsLinks = true }
      property.put(property.value(in: self, replacing: others), into: copy)
    }
  }
}
