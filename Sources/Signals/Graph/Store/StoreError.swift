/// An operation that a store refused, with the object, property and value concerned.
public enum StoreError: Error, Equatable, CustomStringConvertible {
  /// The object or property that an error is about, and how a message describes it.
  public struct Subject: Equatable, Sendable, CustomStringConvertible {
    /// The object.
    public let id: ObjectID
    /// The name of its class.
    public let className: String
    /// The name of the property, if the error is about one.
    public let property: String?
    /// The primary key when the error occurred, if the class has one: `isbn: "0441"`.
    public let key: String?
    /// Without a primary key: the object's first text that wasn't empty when the error occurred:
    /// `name: "Fish"`.
    ///
    /// Only its first 40 characters are shown.
    public let label: String?

    /// Creates a subject for an object, or for one of its properties.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - property: The name of the property.
    public init(_ object: Object, property: String? = nil) {
      self.init(object, property: property, exceptAt: nil)
    }

    /// Creates a subject, without reading the property at an offset, which may be in the middle of a
    /// change.
    init(_ object: Object, property: String?, exceptAt offset: Int?) {
      id = object.objectID
      className = String(describing: type(of: object))
      self.property = property
      let primaryKey = object.schema.primaryKey
      key =
        primaryKey?.offset == offset
        ? nil
        : object.primaryKey.map { "\($0.name): \(ObjectChange.Property.show($0.value))" }
      label = primaryKey == nil ? Subject.label(of: object, exceptAt: offset) : nil
    }

    /// Creates a subject for an object of which only the ID is known, and the primary key if it is
    /// given.
    package init(
      _ id: ObjectID, className: String, property: String? = nil,
      key: (name: String, value: any FieldValue)? = nil
    ) {
      self.id = id
      self.className = className
      self.property = property
      self.key = key.map { "\($0.name): \(ObjectChange.Property.show($0.value))" }
      label = nil
    }

    private static func label(of object: Object, exceptAt offset: Int?) -> String? {
      for property in object.schema.properties
      where property.role == .field && property.offset != offset {
        guard let text = property.value(in: object) as? String, !text.isEmpty else { continue }
        let start = text.count > 40 ? "\(text.prefix(40))…" : text
        return "\(property.name): \(start.debugDescription)"
      }
      return nil
    }

    /// Returns whether both name the same object and property, whatever keys and labels were
    /// recorded.
    ///
    /// - Parameters:
    ///   - lhs: A value to compare.
    ///   - rhs: Another value to compare.
    /// - Returns: Whether the two are equal.
    public static func == (lhs: Subject, rhs: Subject) -> Bool {
      lhs.id == rhs.id && lhs.className == rhs.className && lhs.property == rhs.property
    }

    /// The text shown in messages.
    ///
    /// An object is described by its primary key, as in `Book(isbn: "0441").title`; without one by
    /// its label, as in `Dish(name: "Fish")`; and without either by its ID, as in
    /// `Page.number of #12`.
    public var description: String {
      let property = property.map { ".\($0)" } ?? ""
      guard let name = key ?? label else { return "\(className)\(property) of \(id)" }
      return "\(className)(\(name))\(property)"
    }
  }

  /// The object is stored in another store.
  case alreadyOwned(Subject)
  /// The object is not in this store.
  case notInStore(Subject)
  /// Another stored object of the class has the same primary key.
  case duplicateKey(Subject, key: String)
  /// Nothing could be found by the primary key, because it isn't equal to itself; NaN, for example.
  case unusableKey(Subject, key: String)
  /// Another instance with the same ID, made from a change set or a snapshot, is already stored.
  case duplicateID(Subject)
  /// A primary key can't change while its object is stored.
  case primaryKeyIsFixed(Subject, key: String)
  /// The subject links to a deleted object.
  case deletedObject(Subject, target: Subject)
  /// The subject links to an object of another store.
  case foreignObject(Subject, target: Subject)
  /// The subject can't be deleted while it links to the target, because the link has the rule
  /// `.deny`.
  case deletionDenied(Subject, target: Subject)
  /// An embedded object is stored with the object that links to it, and can't be added on its own.
  case embeddedWithoutOwner(Subject)
  /// The subject can't take an embedded object that another property, or another place in a list,
  /// owns.
  case alreadyEmbedded(Subject, target: Subject, owner: Subject)
  /// The subject can't take an embedded object that it is a part of.
  case embeddedInItself(Subject, target: Subject)
  /// A draft can't be committed, because its object was deleted.
  case draftOfDeleted(Subject)
  /// The subject was changed in a draft, and also outside of it since the draft began.
  case draftConflict(Subject, mine: String, theirs: String)
  /// There is no commit left to undo.
  case nothingToUndo
  /// There is no undone commit left to redo.
  case nothingToRedo
  /// An undo can't follow other writes, or steps of another history, in its transaction, because
  /// it takes back whole commits.
  case undoAfterWrites

  /// The text shown in messages.
  public var description: String {
    switch self {
    case .alreadyOwned(let subject): "\(subject) is stored in another store"
    case .notInStore(let subject): "\(subject) is not in this store"
    case .duplicateKey(let subject, let key):
      "\(subject) has the primary key \(key), which another stored object has"
    case .unusableKey(let subject, let key):
      "\(subject) has the primary key \(key), which is not equal to itself"
    case .duplicateID(let subject): "\(subject) is stored as another instance"
    case .primaryKeyIsFixed(let subject, let key):
      "\(subject) is stored: its primary key can't become \(key)"
    case .deletedObject(let subject, let target):
      "\(subject) can't link to \(target), which was deleted"
    case .foreignObject(let subject, let target):
      "\(subject) can't link to \(target), which is in another store"
    case .deletionDenied(let subject, let target):
      "\(subject) denies the deletion while it links to \(target)"
    case .embeddedWithoutOwner(let subject):
      "\(subject) is embedded: it can only be stored by an object that links to it"
    case .alreadyEmbedded(let subject, let target, let owner):
      "\(subject) can't own \(target), which \(owner) owns"
    case .embeddedInItself(let subject, let target):
      "\(subject) can't own \(target), which it is part of"
    case .draftOfDeleted(let subject): "\(subject) was deleted: a draft of it can't be committed"
    case .draftConflict(let subject, let mine, let theirs):
      "\(subject) is \(mine) in the draft, and became \(theirs) meanwhile"
    case .nothingToUndo: "there is nothing to undo"
    case .nothingToRedo: "there is nothing to redo"
    case .undoAfterWrites:
      "an undo can't follow other writes, or steps of another history, in its transaction"
    }
  }
}
