// Observing objects: their properties, or any value that is computed from them.

/// The protocol through which methods of ``Object`` know the class of `self`.
///
/// It gives a static type to the key paths and closures that these methods take.
///
/// Don't conform to this protocol; ``Object`` does.
public protocol KeyPathObservable: Object {}

extension Object: KeyPathObservable {}

extension KeyPathObservable {
  /// Calls `receive` after each commit that changes the value at a key path.
  ///
  /// The path may lead through links, lists, inverses and computed properties. `receive` is called
  /// if and only if the value differs from the one that this observer saw last, which is passed as
  /// `old`. The paths of other observers don't matter. A path into a list must stay valid whatever
  /// happens to the list, such as `\.members.count` or `\.members.first?.name`.
  ///
  /// - Observers are called in the order of their registration, after effects and never within a
  ///   transaction. A write in an observer is a separate commit. The observers after it see both
  ///   commits as one change.
  /// - An observer that is registered in a transaction compares with the value that it found there.
  ///   If the transaction is rolled back, it compares with the value that is left. Values that were
  ///   rolled back are never reported.
  /// - After a deletion, the fields of the object keep their values and its links are `nil`.
  /// - Commits with one of the skipped `origins` aren't reported; the value that they left is then
  ///   `old`. If another commit hasn't been reported yet by then, both are reported, as one change.
  ///
  /// ```swift
  /// let token = book.observe(\.author?.name) { old, new in print(new ?? "nobody") }
  /// ```
  ///
  /// - Parameters:
  ///   - path: The value to observe, which may be computed or lead through links.
  ///   - initial: Whether `receive` is also called once at the start, with `old` equal to `new`.
  ///     The call comes immediately, or at the end of the open transaction.
  ///   - origins: The origins of the commits to skip.
  ///   - receive: Called with the previous and the new value.
  /// - Returns: A token that ends the observation when it is cancelled or released. It retains the
  ///   closure, but neither the object nor its store.
  public func observe<Value: Equatable>(
    _ path: KeyPath<Self, Value>, initial: Bool = false, skipping origins: Set<Origin> = [],
    _ receive: @escaping (_ old: Value, _ new: Value) -> Void
  ) -> any Cancellable {
    let observer = observe(
      { $0[keyPath: path] }, initial, origins, property: propertyName(at: path), receive)
    if observer.followsNothing { MissingFieldWarning.warn(about: path, "an observer of \(path)") }
    return observer
  }

  /// Calls `receive` after each commit that changes the value a closure computes from the object.
  ///
  /// The closure depends on everything that it reads from the graph and from signals. The closure
  /// must not write. In all other respects, this works like ``observe(_:initial:skipping:_:)``.
  ///
  /// ```swift
  /// let token = team.observe(computing: { $0.members.map(\.name) }) { old, new in print(new) }
  /// ```
  ///
  /// - Parameters:
  ///   - value: Computes the value from the object.
  ///   - initial: Whether `receive` is also called with the current value, as old and new value.
  ///   - origins: The origins whose commits aren't reported.
  ///   - receive: Called with the value before and after the commit.
  /// - Returns: The token, whose release ends the observation.
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
      named: SubscriptionName("an observer", of: subject(property())),
      isEqual: { ValueEquality.areEqual($0, $1) }, { [weak self] in self.map(value) }, receive)
  }
}

extension KeyPathObservable {
  /// Calls `receive` after each commit that changes, deletes or adds the object.
  ///
  /// - The change has the exact old and new values, relative to the state that this observer saw
  ///   last. A property whose old value was written back isn't in it.
  /// - A link is compared as a property; changes of its target aren't reported.
  /// - A deletion is reported once, as `.deleted` with the last values. Writes to the deleted
  ///   object aren't reported. If the object is added again, or undo brings it back, that is
  ///   reported as `.inserted`.
  /// - The order of calls, the end of the observation, skipped origins and ownership are as in
  ///   ``observe(_:initial:skipping:_:)``.
  ///
  /// ```swift
  /// let token = book.observe { change in
  ///   if change.kind == .deleted { print("gone") }
  ///   if let title = change.new(\.title) { print("now", title) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - origins: The origins whose commits aren't reported.
  ///   - receive: Called with each change.
  /// - Returns: The token, whose release ends the observation.
  /// - Complexity: O(*p*) for each change, where *p* is the number of properties.
  public func observe(
    skipping origins: Set<Origin> = [], _ receive: @escaping (TypedChange<Self>) -> Void
  ) -> any Cancellable {
    let (id, schema) = (objectID, schema)
    return ValueObserver<ObjectState>(
      of: self, initial: false, skipping: origins,
      describe: { "an observer of \(schema.name) \(id)" },
      named: SubscriptionName("an observer", of: subject(nil)),
      isEqual: { $0.isSame(as: $1) },
      { [weak self] in self.map { ObjectState(of: $0, schema) } },
      { [weak self] old, new in
        guard let self else { return }
        receive(TypedChange(change: new.change(from: old), source: .object(self)))
      })
  }
}

/// The observable state of one object at one moment.
private struct ObjectState {
  private let id: ObjectID
  private let schema: Schema
  private let properties: [Property]
  private let isStored: Bool
  private let isDeleted: Bool
  private let values: [Any]

  /// Reads the state of an object, under tracking.
  init(of object: Object, _ schema: Schema) {
    id = object.objectID
    self.schema = schema
    properties = schema.properties.filter { $0.role != .inverse }
    object.track(Object.deletionOffset)
    isStored = object.table != nil
    isDeleted = object.isGone
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

  /// Returns the change of the object since an earlier state.
  func change(from old: ObjectState) -> ObjectChange {
    let kind: ObjectChange.Kind =
      isStored == old.isStored ? .modified : isStored ? .inserted : .deleted
    let changes = properties.indices.compactMap { index -> ObjectChange.Property? in
      let (property, before, after) = (properties[index], old.values[index], values[index])
      if kind == .modified, property.isSame(before, after) { return nil }
      return ObjectChange.Property(
        name: property.name, old: kind == .inserted ? nil : property.encodedValue(of: before),
        new: kind == .deleted ? nil : property.encodedValue(of: after))
    }
    return ObjectChange(id: id, kind: kind, properties: changes, type: schema.type)
  }
}
