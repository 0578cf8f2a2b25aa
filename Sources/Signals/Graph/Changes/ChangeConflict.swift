extension ChangeSet {
  /// What to do where a store is not as a change set expects.
  public enum ConflictPolicy: Sendable {
    /// Throw a ``ChangeConflictError`` that names every conflict, with nothing changed.
    case fail
    /// Make the change all the same, as far as it can be made.
    case theirs
    /// Keep what is here, and make the rest of the changes.
    case mine
  }

  /// A place where a store is not as a change set expects.
  public struct Conflict: Sendable {
    /// What is not as expected.
    public enum Reason: Sendable, Equatable {
      /// There is no such object here to modify or delete; nothing is done.
      case missing
      /// There is such an object here already; `.theirs` gives it the values of the new one.
      case alreadyThere
      /// The object here is of another class; nothing is done.
      case otherClass(String)
      /// The property has another value here than the old one; `.theirs` overwrites it.
      case changed
      /// Another object here has the primary key; nothing is done.
      case keyTaken(by: ObjectID)
      /// A link or list would lead to an object that is not here, or of a wrong class; `.theirs` leaves
      /// it out, and `.mine` keeps what the property has.
      case danglingLink(to: ObjectID)
      /// A link or list would take an embedded object that another object owns here, or that would be
      /// part of itself then; `.theirs` takes it from there, and `.mine` leaves it out here.
      case owned(ObjectID, by: ObjectID)
    }

    /// The object.
    public let id: ObjectID
    /// The name of its class.
    public let className: String
    /// What was to happen to the property, if it is about one.
    public let property: ObjectChange.Property?
    /// What the property has here.
    public let present: (any FieldValue)?
    /// What is not as expected.
    public let reason: Reason
  }

  /// What became of a change set in a store.
  public struct Report: Sendable, Equatable {
    /// Where the store was not as expected, in the order of the change set.
    public let conflicts: [Conflict]

    /// Whether everything was as expected.
    public var isClean: Bool { conflicts.isEmpty }
  }
}

/// The conflicts for which a change set was not applied.
public struct ChangeConflictError: Error, Equatable, CustomStringConvertible {
  /// Every conflict, in the order of the change set.
  public let conflicts: [ChangeSet.Conflict]

  /// A line a conflict.
  public var description: String { conflicts.map(\.description).joined(separator: "\n") }
}

extension ChangeSet.Conflict: Equatable, CustomStringConvertible {
  /// Two are equal if they say the same of the same place.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.id == rhs.id && lhs.className == rhs.className && lhs.property == rhs.property
      && lhs.reason == rhs.reason && ObjectChange.Property.isSame(lhs.present, rhs.present)
  }

  /// How messages show it.
  public var description: String {
    let subject = "\(className)\(property.map { ".\($0.name)" } ?? "") of \(id)"
    return switch reason {
    case .missing: "\(subject) is not here"
    case .alreadyThere: "\(subject) is here already"
    case .otherClass(let name): "\(subject) is a \(name) here"
    case .changed:
      "\(subject) is \(shown(present)) here, and not \(shown(property?.old))"
    case .keyTaken(let other): "\(subject) has a primary key that \(other) has here"
    case .danglingLink(let target): "\(subject) leads to \(target), which is not here"
    case .owned(let target, let owner):
      "\(subject) can't own \(target), \(target == owner ? "being part of it" : "which \(owner) owns here")"
    }
  }

  private func shown(_ value: (any FieldValue)?) -> String {
    value.map(ObjectChange.Property.show) ?? "nothing"
  }
}
