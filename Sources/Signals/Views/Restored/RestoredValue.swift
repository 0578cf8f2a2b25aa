/// What a ``Restored`` keeps in the graph: one value by its key.
///
/// Snapshots and change sets have it like any other object. An object of this class that is
/// changed otherwise, by a replica for instance, changes the state of the views that show it. One that can't be
/// read any more, because the app has changed, is left out (``Object/isExpendable``).
public final class RestoredValue<Value: FieldValue>: Object {
  /// The key that the wrapper was given.
  @PrimaryKey public internal(set) var key = ""
  /// The last value; nil before it was kept for the first time.
  @Field public internal(set) var value: Value?

  /// A view can start with what it declares.
  public override static var isExpendable: Bool { true }
}

/// A class of objects that keep the state of views, and are no part of the app's own graph.
protocol ViewStateObject: Object {}

extension RestoredValue: ViewStateObject {}

extension ChangeSet {
  /// The same without what keeps the state of views: `@Restored` values, and drafts with `restoredAs:`.
  package var withoutViewState: ChangeSet {
    ChangeSet(changes.filter { !($0.type is any ViewStateObject.Type) }, origin: origin)
  }
}

extension Origin {
  /// The commits that keep the state of views.
  public static let restored = Origin("restored")
}
