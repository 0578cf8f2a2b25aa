// Observing objects: their properties, or any value that is read from them.

/// What every ``Object`` is, so that key paths and closures given to it know its class.
///
/// You don't conform to this; ``Object`` does.
public protocol KeyPathObservable: Object {}

extension Object: KeyPathObservable {}

extension KeyPathObservable {
  /// Calls `receive` after each commit that changes the value at a key path.
  ///
  /// The path may lead through links, lists, inverses and computed properties; the call comes if and only
  /// if the value differs from what this observer saw last, which is `old`. Paths of other observers
  /// do not matter. A path into a list must be one that holds whatever becomes of the list:
  /// `\.members.count`, `\.members.first?.name`.
  ///
  /// - With `initial`, `receive` is called once at the beginning, with `old` equal to `new`.
  /// - Observers are called in the order of their registration, after effects and never within a
  ///   transaction. What one writes is a commit of its own, which the next see together with the first.
  /// - One that is registered in a transaction compares with what it found there, or with what is left if
  ///   that is undone: what was undone is never told.
  /// - After a deletion the fields of the object keep their values, its links are nil.
  /// - Commits with one of the `origins` given to `skipping` are not told; what they left is `old` then. If
  ///   another commit has not been told by then, both are, as one change.
  /// - It ends when the token is cancelled or released. The token keeps the closure, and neither the
  ///   object nor its store.
  ///
  /// ```swift
  /// let token = book.observe(\.author?.name) { old, new in print(new ?? "nobody") }
  /// ```
  public func observe<Value: Equatable>(
    _ path: KeyPath<Self, Value>, initial: Bool = false, skipping origins: Set<Origin> = [],
    _ receive: @escaping (_ old: Value, _ new: Value) -> Void
  ) -> any Cancellable {
    let type = type(of: self)
    let observer = observe(
      { $0[keyPath: path] }, initial, origins,
      property: PropertyPaths.name(of: path, in: type, .object(self)), receive)
    if observer.followsNothing { Unfollowed.tell(of: path, "an observer of \(path)") }
    return observer
  }

  /// Calls `receive` after each commit that changes what a closure computes from the object.
  ///
  /// All that the closure reads of the graph, and of signals, is followed; it must not write. The rest
  /// is as for a key path.
  ///
  /// ```swift
  /// let token = team.observe(computing: { $0.members.map(\.name) }) { old, new in print(new) }
  /// ```
  public func observe<Value: Equatable>(
    computing value: @escaping (Self) -> Value, initial: Bool = false,
    skipping origins: Set<Origin> = [],
    _ receive: @escaping (_ old: Value, _ new: Value) -> Void
  ) -> any Cancellable {
    observe(value, initial, origins, property: nil, receive)
  }

  private func observe<Value: Equatable>(
    _ value: @escaping (Self) -> Value, _ initial: Bool, _ origins: Set<Origin>,
    property: @autoclosure () -> String?,
    _ receive: @escaping (_ old: Value, _ new: Value) -> Void
  ) -> ValueObserver<Value> {
    let (id, type) = (objectID, type(of: self))
    return ValueObserver(
      of: self, initial: initial, skipping: origins,
      describe: { "an observer of a value of \(type) \(id)" },
      named: SubscriptionName("an observer", subject(property())),
      isEqual: { Sameness.areSameIfEqual($0, $1) }, { [weak self] in self.map(value) }, receive)
  }
}

extension KeyPathObservable {
  /// Calls `receive` after each commit that changes a property of the object, deletes it, or adds it.
  ///
  /// The change has the exact old and new values, from what this observer saw last; a property that was
  /// written back is not in it. What links lead to is not looked into: a link is a property. A
  /// deletion is told once, as `.deleted` with the last values, and nothing that is written to the object after
  /// it; if the object is added again, or undo brings it back, that is told as `.inserted`. Order, end, origins and ownership are as for a key path.
  ///
  /// Costs O(properties) at each change.
  ///
  /// ```swift
  /// let token = book.observe { change in
  ///   if change.kind == .deleted { print("gone") }
  ///   if let title = change.new(\.title) { print("now", title) }
  /// }
  /// ```
  public func observe(
    skipping origins: Set<Origin> = [], _ receive: @escaping (TypedChange<Self>) -> Void
  ) -> any Cancellable {
    let (id, schema) = (objectID, schema)
    return ValueObserver<ObjectState>(
      of: self, initial: false, skipping: origins,
      describe: { "an observer of \(schema.name) \(id)" },
      named: SubscriptionName("an observer", subject(nil)),
      isEqual: { $0.isSame(as: $1) },
      { [weak self] in self.map { ObjectState(of: $0, schema) } },
      { [weak self] old, new in
        guard let self else { return }
        receive(TypedChange(change: new.change(from: old), source: .object(self)))
      })
  }
}

/// All that can be observed of one object at one moment.
private struct ObjectState {
  private let id: ObjectID
  private let schema: Schema
  private let properties: [Property]
  private let isStored: Bool
  private let isDeleted: Bool
  private let values: [Any]

  /// Reads the object, under tracking.
  init(of object: Object, _ schema: Schema) {
    id = object.objectID
    self.schema = schema
    properties = schema.properties.filter { $0.role != .inverse }
    object.track(Object.deletionOffset)
    isStored = unsafe object.extent != nil
    isDeleted = unsafe object.isGone
    values = properties.map { property in
      object.track(property.offset)
      return property.value(in: object)
    }
  }

  func isSame(as other: ObjectState) -> Bool {
    (isDeleted && other.isDeleted)
      || isStored == other.isStored
        && properties.indices.allSatisfy { properties[$0].isSame(values[$0], other.values[$0]) }
  }

  /// What became of the object since an earlier state.
  func change(from old: ObjectState) -> ObjectChange {
    let kind: ObjectChange.Kind =
      isStored == old.isStored ? .modified : isStored ? .inserted : .deleted
    let changes = properties.indices.compactMap { index -> ObjectChange.Property? in
      let (property, before, after) = (properties[index], old.values[index], values[index])
      if kind == .modified, property.isSame(before, after) { return nil }
      return ObjectChange.Property(
        name: property.name, old: kind == .inserted ? nil : property.carried(before),
        new: kind == .deleted ? nil : property.carried(after))
    }
    return ObjectChange(id: id, kind: kind, properties: changes, type: schema.type)
  }
}

extension Property {
  /// Whether two values of the property are the same.
  func isSame(_ one: Any, _ other: Any) -> Bool {
    func open<P: StoredProperty>(_ type: P.Type) -> Bool {
      guard let one = one as? P.Value, let other = other as? P.Value else { return false }
      return P.isSame(one, other)
    }
    return open(self.type)
  }
}
