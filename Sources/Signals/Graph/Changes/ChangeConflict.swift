/// The side to keep where two sides have changed the same value, for ``Store``, ``Draft`` and
/// ``UndoHistory``.
///
/// | operation | mine | theirs |
/// |---|---|---|
/// | `store.add(_:onConflict:)` | the stored object | the object that is added |
/// | ``Store/apply(_:undoable:onConflict:)`` | the store | the change set |
/// | ``Draft/commit(resolving:)`` | the draft | the changes committed since it loaded |
/// | ``Store/undo(onConflict:)`` | the undone step | later writes |
/// | ``UndoHistory/undo(onConflict:)`` | the undone step | later writes |
public enum ConflictPolicy: Sendable {
  /// Throws an error that names every conflict, and changes nothing.
  case fail
  /// Keeps the other side's value.
  case theirs
  /// Keeps this side's value.
  case mine
}

/// A difference between a store and the state that a change set, or a step to be undone, expects.
public struct ChangeConflict: Sendable {
  /// The kind of a conflict.
  public enum Reason: Sendable, Equatable {
    /// There is no such object here to modify or delete; nothing is done, because a deletion wins.
    case missing
    /// The object to insert is already here; the policy decides about its values.
    case alreadyThere
    /// The object here is of another class, which is named; nothing is done.
    case otherClass(String)
    /// The property's value here isn't the expected old value; the policy decides which value to
    /// keep. A deletion is made nevertheless. In a list, a moved member was removed, and stays so.
    case changed
    /// The value of a ``Counter`` with the change added doesn't fit its type; the policy decides as
    /// for `changed`.
    case outOfRange
    /// Another object here has the primary key. `.theirs` deletes it, `.mine` inserts no object, or
    /// deletes the one whose key was to change.
    case keyTaken(by: StoreError.Subject)
    /// A link or list would refer to an object that isn't here or is of a wrong class.
    ///
    /// The object is left out. If `apply` leaves it out because it isn't here, it is linked when it
    /// arrives.
    case danglingLink(to: StoreError.Subject)
    /// A link or list would own an embedded object that another object owns here, or that would
    /// become part of itself. `.theirs` takes the object from its current owner; `.mine` leaves it
    /// out of the new one.
    case owned(StoreError.Subject, by: StoreError.Subject)
  }

  /// The object, and the property if the conflict concerns one.
  public let subject: StoreError.Subject
  /// The expected value and the value to be written, if the conflict concerns a property.
  public let property: ObjectChange.Property?
  /// The property's current value here.
  public let present: (any FieldValue)?
  /// The kind of the conflict.
  public let reason: Reason
}

/// The conflicts met by a change set, or by a step that was undone or redone.
public struct ConflictReport: Sendable, Equatable {
  /// The differences from the expected state, in the order of the changes.
  public let conflicts: [ChangeConflict]

  /// Whether there were no conflicts.
  public var isClean: Bool { conflicts.isEmpty }
}

/// The conflicts that kept a change set from being applied, or a step from being undone or redone.
public struct ChangeConflictError: Error, Equatable, CustomStringConvertible {
  /// Every conflict, in the order of the changes.
  public let conflicts: [ChangeConflict]

  /// One line per conflict.
  public var description: String { conflicts.map(\.description).joined(separator: "\n") }
}

extension ChangeConflict: Equatable, CustomStringConvertible {
  /// Two conflicts are equal if they report the same difference for the same object and property.
  ///
  /// NaN counts as equal to NaN.
  ///
  /// - Parameters:
  ///   - lhs: A value to compare.
  ///   - rhs: Another value to compare.
  /// - Returns: Whether the two are equal.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.subject == rhs.subject && lhs.property == rhs.property
      && lhs.reason == rhs.reason && ObjectChange.Property.isSame(lhs.present, rhs.present)
  }

  /// The conflict as error messages show it.
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
