/// What a store refuses, naming the object, the property and the value.
public enum StoreError: Error, Equatable, CustomStringConvertible {
  /// An object, and how a message describes it.
  public struct Subject: Equatable, Sendable, CustomStringConvertible {
    /// The object.
    public let id: ObjectID
    /// The name of its class.
    public let className: String
    /// The property concerned, if it is about one.
    public let property: String?

    init(_ object: Object, _ property: String? = nil) {
      id = object.objectID
      className = String(describing: type(of: object))
      self.property = property
    }

    /// How messages show it.
    public var description: String { "\(className)\(property.map { ".\($0)" } ?? "") of \(id)" }
  }

  /// The object is stored in another store.
  case alreadyOwned(Subject)
  /// The object is not in this store.
  case notInStore(Subject)
  /// Another stored object of the class has the same primary key.
  case duplicateKey(Subject, key: String)
  /// A stored object that was made by a change set stands for the same object.
  case duplicateID(Subject)
  /// A primary key can't change while its object is stored.
  case primaryKeyIsFixed(Subject, key: String)
  /// A link from the subject leads to a deleted object.
  case deletedObject(Subject, target: ObjectID)
  /// A link from the subject leads to an object of another store.
  case foreignObject(Subject, target: ObjectID)
  /// The subject links to something through a property that denies its deletion.
  case deletionDenied(Subject, target: ObjectID)
  /// There is no commit left to undo.
  case nothingToUndo
  /// There is no undone commit left to redo.
  case nothingToRedo
  /// An undo takes back whole commits: it can't follow other writes in its transaction.
  case undoAfterWrites

  /// How messages show it.
  public var description: String {
    switch self {
    case .alreadyOwned(let subject): "\(subject) is stored in another store"
    case .notInStore(let subject): "\(subject) is not in this store"
    case .duplicateKey(let subject, let key):
      "\(subject) has the primary key \(key), which another stored object has"
    case .duplicateID(let subject): "\(subject) is stored as another instance"
    case .primaryKeyIsFixed(let subject, let key):
      "\(subject) is stored: its primary key can't become \(key)"
    case .deletedObject(let subject, let target):
      "\(subject) can't link to \(target), which was deleted"
    case .foreignObject(let subject, let target):
      "\(subject) can't link to \(target), which is in another store"
    case .deletionDenied(let subject, let target):
      "\(subject) denies the deletion while it links to \(target)"
    case .nothingToUndo: "there is nothing to undo"
    case .nothingToRedo: "there is nothing to redo"
    case .undoAfterWrites: "an undo can't follow other writes in its transaction"
    }
  }
}
