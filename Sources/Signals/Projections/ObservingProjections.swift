// Observing projections: one property, or all of them.

extension RootedProjection {
  /// Calls `receive` after each commit that changes the value of a projected property.
  ///
  /// The call comes if and only if the value differs from what this observer saw last, which is `old`;
  /// properties whose paths share a part do not disturb each other. A deletion of the root changes nothing,
  /// because the projection keeps its last values: observe ``isDeleted``. The path may lead on from the
  /// property: `\.members.count`.
  ///
  /// - With `initial`, `receive` is called once at the beginning, with `old` equal to `new`.
  /// - Observers are called in the order of their registration, after effects and never within a transaction.
  /// - It ends when the token is cancelled or released. The token keeps the projection, and so its root: a
  ///   projection that keeps a token of its own has to cancel it.
  ///
  /// ```swift
  /// let token = row.observe(\.author) { old, new in print(new ?? "nobody") }
  /// ```
  public func observe<Value: Equatable>(
    _ path: KeyPath<Self, Value>, initial: Bool = false,
    _ receive: @escaping (_ old: Value, _ new: Value) -> Void
  ) -> any Cancellable {
    ValueObserver(
      of: rootObject, initial: initial, describe: { "an observer of a value of \(Self.self)" },
      named: SubscriptionName("an observer of \(Self.self)", rootObject?.subject(nil)),
      isEqual: { Sameness.areSameIfEqual($0, $1) },
      { self[keyPath: path] }, receive)
  }

  /// Calls `receive` after each commit that changes a projected property, deletes the root, or brings it
  /// back.
  ///
  /// The change has the old and new values, from what this observer saw last. A value that is not equatable
  /// counts as changed whenever something that it was read from has. Order, end and ownership are as for
  /// one property.
  ///
  /// Costs O(properties) at each change.
  ///
  /// ```swift
  /// let token = row.observe { change in
  ///   if change.properties.contains("author") { print(change.old(\.author), change.new(\.author)) }
  /// }
  /// ```
  public func observe(
    _ receive: @escaping (ProjectionChange<Self>) -> Void
  ) -> any Cancellable {
    ValueObserver<ProjectedState>(
      of: rootObject, initial: false, describe: { "an observer of \(Self.self)" },
      named: SubscriptionName("an observer of \(Self.self)", rootObject?.subject(nil)),
      isEqual: { $0.changes(to: $1).isEmpty && $0.isDeleted == $1.isDeleted },
      { ProjectedState(of: self) },
      { receive(ProjectionChange(projection: self, before: $0, after: $1)) })
  }
}

extension RootedProjection {
  /// The first object that the projection shows.
  private var rootObject: Object? { (self as? any LiveProjection)?.objects.first }
}

/// What one commit did to the projected properties of a ``Projection``.
public struct ProjectionChange<Row: RootedProjection> {
  /// The projection.
  public let projection: Row
  let before: ProjectedState
  let after: ProjectedState

  /// Whether values changed, the root was deleted, or it came back.
  public var kind: ObjectChange.Kind {
    if before.isDeleted == after.isDeleted { return .modified }
    return after.isDeleted ? .deleted : .inserted
  }

  /// The names of the projected properties that changed, in the order of their declaration.
  public var properties: [String] { before.changes(to: after) }

  /// The value of a property before the commit, whether it changed or not: `change.old(\.author)`.
  ///
  /// The path may also be that of a computed property of the projection, made from projected ones.
  public func old<Value>(_ path: KeyPath<Row, Value>) -> Value {
    before.replay(on: projection) { projection[keyPath: path] }
  }

  /// The value of a property after the commit, whether it changed or not.
  public func new<Value>(_ path: KeyPath<Row, Value>) -> Value {
    after.replay(on: projection) { projection[keyPath: path] }
  }
}

/// The values of all projected properties at one moment.
struct ProjectedState {
  private let properties: [ProjectedProperty]
  private let values: [Int: Any]
  let isDeleted: Bool

  /// Reads a projection, under tracking.
  init<Row: RootedProjection>(of row: Row) {
    isDeleted = row.isDeleted
    guard let projection = row as? any LiveProjection else { trap("\(Row.self) is no Projection") }
    properties = ProjectedProperty.all(of: type(of: projection))
    var values: [Int: Any] = [:]
    for property in properties { values[property.offset] = projection.present(property) }
    self.values = values
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

  /// Runs `body` while the projection shows these values.
  func replay<Result>(on row: some RootedProjection, _ body: () -> Result) -> Result {
    guard let projection = row as? any LiveProjection else { return body() }
    let outer = projection.replayed
    projection.replayed = values
    defer { projection.replayed = outer }
    return Node.withoutReader(body)
  }
}

extension LiveProjection {
  /// What reading a property gives now.
  fileprivate func present(_ property: ProjectedProperty) -> Any {
    if objects.isGone, let last { return last.value(at: property.offset) ?? evaluate(property) }
    return evaluate(property)
  }
}
