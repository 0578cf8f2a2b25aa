// Observing one property of a projection, or all of them.

extension ProjectionProtocol {
  /// Calls `receive` after each commit that changes the value of a projected property.
  ///
  /// The call is made if and only if the value differs from the previous one, which is passed as
  /// `old`. Properties whose paths overlap don't affect each other. Deleting the root changes no
  /// value, because the projection keeps its last values; observe ``isDeleted`` for that. The path
  /// may continue beyond the property: `\.members.count`.
  ///
  /// - If `initial` is true, `receive` is also called once at the beginning, with `old` equal to
  ///   `new`.
  /// - Observers run in the order of registration, after effects and never within a transaction.
  /// - The subscription ends when the token is cancelled or released. The token keeps the
  ///   projection alive, and so its root: a projection that stores a token for itself has to cancel
  ///   it.
  ///
  /// ```swift
  /// let token = row.observe(\.author) { old, new in print(new ?? "nobody") }
  /// ```
  ///
  /// - Parameters:
  ///   - path: The key path of the property.
  ///   - initial: Whether `receive` is also called with the current value, as old and new value.
  ///   - receive: Called with the value before and after the commit.
  /// - Returns: The token, whose release ends the observation.
  public func observe<Value: Equatable>(
    _ path: KeyPath<Self, Value>, initial: Bool = false,
    _ receive: @escaping (_ old: Value, _ new: Value) -> Void
  ) -> any Cancellable {
    ValueObserver(
      of: rootObject, initial: initial, describe: { "an observer of a value of \(Self.self)" },
      named: SubscriptionName("an observer of \(Self.self)", of: rootObject?.subject(nil)),
      isEqual: { ValueEquality.areEqual($0, $1) },
      { self[keyPath: path] }, receive)
  }

  /// Calls `receive` after each commit that changes a projected property, deletes the root, or
  /// restores it.
  ///
  /// The change has the old and new values, where the old ones are those that this observer saw
  /// last. A value that isn't `Equatable` counts as changed whenever one of its dependencies has
  /// changed. Order of calls, end of the subscription and ownership are the same as for a single
  /// property.
  ///
  /// ```swift
  /// let token = row.observe { change in
  ///   if change.properties.contains("author") { print(change.old(\.author), change.new(\.author)) }
  /// }
  /// ```
  ///
  /// - Parameter receive: Called with each change.
  /// - Returns: The token, whose release ends the observation.
  /// - Complexity: O(*p*) for each change, where *p* is the number of projected properties.
  public func observe(
    _ receive: @escaping (ProjectionChange<Self>) -> Void
  ) -> any Cancellable {
    ValueObserver<ProjectedState>(
      of: rootObject, initial: false, describe: { "an observer of \(Self.self)" },
      named: SubscriptionName("an observer of \(Self.self)", of: rootObject?.subject(nil)),
      isEqual: { $0.changes(to: $1).isEmpty && $0.isDeleted == $1.isDeleted },
      { ProjectedState(of: self) },
      { receive(ProjectionChange(projection: self, before: $0, after: $1)) })
  }
}

extension ProjectionProtocol {
  /// The first object of the projection's root.
  private var rootObject: Object? { (self as? any AnyProjection)?.objects.first }
}

/// The effect of one commit on the projected properties of a ``Projection``.
public struct ProjectionChange<Row: ProjectionProtocol> {
  /// The projection that changed.
  public let projection: Row
  let before: ProjectedState
  let after: ProjectedState

  /// The kind of change: `.modified` if only values changed, `.deleted` if the root was deleted,
  /// and `.inserted` if it was restored.
  public var kind: ObjectChange.Kind {
    if before.isDeleted == after.isDeleted { return .modified }
    return after.isDeleted ? .deleted : .inserted
  }

  /// The names of the projected properties that changed, in declaration order.
  public var properties: [String] { before.changes(to: after) }

  /// Returns the value of a property before the commit: `change.old(\.author)`.
  ///
  /// The property needn't have changed. It may also be a computed property of the projection that
  /// uses projected ones.
  ///
  /// - Parameter path: The key path of the property.
  /// - Returns: The value before the commit.
  public func old<Value>(_ path: KeyPath<Row, Value>) -> Value {
    before.replay(on: projection) { projection[keyPath: path] }
  }

  /// Returns the value of a property after the commit, whether or not it changed.
  ///
  /// - Parameter path: The key path of the property.
  /// - Returns: The value after the commit.
  public func new<Value>(_ path: KeyPath<Row, Value>) -> Value {
    after.replay(on: projection) { projection[keyPath: path] }
  }
}

/// The values of all projected properties at one point in time.
struct ProjectedState {
  private let properties: [ProjectedProperty]
  private let values: [Int: Any]
  let isDeleted: Bool

  /// Reads all properties of a projection, under tracking.
  init<Row: ProjectionProtocol>(of row: Row) {
    isDeleted = row.isDeleted
    guard let projection = row as? any AnyProjection else { trap("\(Row.self) is no Projection") }
    properties = ProjectedProperty.all(of: type(of: projection))
    values = projection.values
  }

  /// The names of the properties that differ.
  func changes(to other: ProjectedState) -> [String] {
    properties.filter { property in
      guard let old = values[property.offset], let new = other.values[property.offset] else {
        return false
      }
      return !ProjectedProperty.isSame(old, new)
    }.map(\.name)
  }

  /// Runs `body` while the projection returns these values for all reads.
  func replay<Result>(on row: some ProjectionProtocol, _ body: () -> Result) -> Result {
    guard let projection = row as? any AnyProjection else { return body() }
    let outer = projection.replayed
    projection.replayed = values
    defer { projection.replayed = outer }
    return Node.withoutReader(body)
  }
}

extension AnyProjection {
  /// The current values of all projected properties by offset: the kept ones if the root is deleted.
  var values: [Int: Any] {
    let last = objects.isGone ? last : nil
    var values: [Int: Any] = [:]
    for property in ProjectedProperty.all(of: type(of: self)) {
      values[property.offset] = last?.value(at: property.offset) ?? evaluate(property)
    }
    return values
  }
}
