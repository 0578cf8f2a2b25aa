/// An object that is part of exactly one other, and dies with it: an address, the lines of an order.
///
/// - It is owned by the property that links to it: a ``Link``, or a place in a ``Links`` list.
/// - Deleting the owner deletes it; so does unlinking it, at the end of the transaction. The instance
///   keeps its last values, and undo brings it back.
/// - Linking one that has an owner is refused, and so is a second place in the same list; to move it,
///   unlink it and link it elsewhere in one `write`. It keeps then what it embeds itself.
/// - It can't be added on its own, can't be part of itself, and has no primary key.
///
/// While nobody of them is stored, objects may share one; that is found out when they are added.
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
  /// Creates an embedded object that nobody owns yet.
  public required init() {
    super.init()
    isEmbedded = true
  }

  /// The stored object that this one is part of; a read is a dependency.
  ///
  /// O(1).
  public final var owner: Object? {
    if unsafe Node.reader != nil { track(Object.ownerOffset) }
    return ownership?.source
  }

  /// An unstored copy of the object and of all that it embeds; other links lead where they do here.
  ///
  /// O(copied), and no dependency.
  public final func copy() -> Self {
    unsafe unsafeDowncast(DetachedCopy(of: self).root, to: Self.self)
  }
}

extension Object {
  /// The property that an embedded object is owned by, or the first of several.
  var ownership: (source: Object, offset: Int)? {
    unsafe backlinks?.entries.first.map { unsafe ($0.source, $0.offset) }
  }
}

/// An unstored copy of an object and of all that it embeds.
struct DetachedCopy {
  let root: Object
  /// Each original, and its copy.
  private(set) var copies: [Object: Object] = [:]
  /// Originals with their copies, owners first.
  private(set) var pairs: [(original: Object, copy: Object)] = []

  /// Copies an object, over the copies there are already of some; iterative.
  init(of original: Object, reusing present: [Object: Object] = [:]) {
    root = present[original] ?? type(of: original).init()
    add(original, root)
    var next = 0
    while next < pairs.count {
      let (original, _) = pairs[next]
      next += 1
      for property in original.schema.embedding {
        for part in property.targets(in: original) where part.isEmbedded && copies[part] == nil {
          add(part, present[part] ?? type(of: part).init())
        }
      }
    }
    for (original, copy) in pairs { original.copyValues(to: copy, replacing: copies) }
  }

  private mutating func add(_ original: Object, _ copy: Object) {
    copies[original] = copy
    pairs.append((original, copy))
  }
}

extension Object {
  /// The schema of the object's class: the one its store knows, if it has one.
  final var schema: Schema { unsafe extent?.schema ?? Schema(of: type(of: self)) }

  /// Gives an unstored object the values of this one, with others in the place of linked objects.
  fileprivate func copyValues(to copy: Object, replacing others: [Object: Object]) {
    for property in schema.properties where property.role != .inverse {
      if property.role == .link || property.role == .links { unsafe copy.holdsLinks = true }
      property.put(property.value(in: self, replacing: others), into: copy)
    }
  }
}
