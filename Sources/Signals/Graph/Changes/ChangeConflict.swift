/// Which side counts where two have changed the same: the one vocabulary of ``Store``, ``Draft`` and ``UndoHistory``.
///
/// | operation | mine | theirs |
/// |---|---|---|
/// | `store.add(_:onConflict:)` | the stored object | the object that is added |
/// | ``Store/apply(_:undoable:onConflict:)`` | the store | the change set |
/// | ``Draft/commit(resolving:)`` | the draft | what was committed meanwhile |
/// | ``Store/undo(onConflict:)``, ``UndoHistory/undo(onConflict:)`` | the step that is taken back | what was written since |
public enum ConflictPolicy: Sendable {
  /// Throw an error that names every conflict, with nothing changed.
  case fail
  /// Let the other side's value stand.
  case theirs
  /// Let the value of this side stand.
  case mine
}

/// A place where a store is not as a change set, or a step to be undone, expects.
public struct ChangeConflict: Sendable {
  /// What is not as expected.
  public enum Reason: Sendable, Equatable {
    /// There is no such object here to modify or delete; nothing is done.
    case missing
    /// There is such an object here already; the policy decides about its values.
    case alreadyThere
    /// The object here is of another class; nothing is done.
    case otherClass(String)
    /// The property has another value here than the old one; the policy decides which one stands.
    case changed
    /// The sum of a ``Counter`` and of what was to be added is no value of its type; the policy decides as
    /// for `changed`.
    case outOfRange
    /// Another object here has the primary key; nothing is done.
    case keyTaken(by: StoreError.Subject)
    /// A link or list would lead to an object that is not here, or of a wrong class.
    ///
    /// It is left out, but that `apply` with `.mine` keeps what the property has.
    case danglingLink(to: StoreError.Subject)
    /// A link or list would take an embedded object that another object owns here, or that would be
    /// part of itself then; `.theirs` takes it from there, and `.mine` leaves it out here.
    case owned(StoreError.Subject, by: StoreError.Subject)
  }

  /// The object, and the property if it is about one.
  public let subject: StoreError.Subject
  /// What was to happen to the property, if it is about one: the value that was expected, and the one to be written.
  public let property: ObjectChange.Property?
  /// What the property has here.
  public let present: (any FieldValue)?
  /// What is not as expected.
  public let reason: Reason
}

/// What became of a change set, or of a step that was undone or redone.
public struct ConflictReport: Sendable, Equatable {
  /// Where the store was not as expected, in the order of the changes.
  public let conflicts: [ChangeConflict]

  /// Whether everything was as expected.
  public var isClean: Bool { conflicts.isEmpty }
}

/// The conflicts for which a change set was not applied, or a step not undone or redone.
public struct ChangeConflictError: Error, Equatable, CustomStringConvertible {
  /// Every conflict, in the order of the changes.
  public let conflicts: [ChangeConflict]

  /// A line a conflict.
  public var description: String { conflicts.map(\.description).joined(separator: "\n") }
}

extension ChangeConflict: Equatable, CustomStringConvertible {
  /// Two are equal if they say the same of the same place.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.subject == rhs.subject && lhs.property == rhs.property
      && lhs.reason == rhs.reason && ObjectChange.Property.isSame(lhs.present, rhs.present)
  }

  /// How messages show it.
  public var description: String {
    switch reason {
    case .missing: "\(subject) is not here"
    case .alreadyThere: "\(subject) is here already"
    case .otherClass(let name): "\(subject) is a \(name) here"
    case .changed:
      "\(subject) is \(shown(present)) here, and not \(shown(property?.old))"
    case .outOfRange:
      "\(subject) is \(shown(present)) here: what \(shown(property?.new)) adds to \(shown(property?.old)) does not fit"
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
