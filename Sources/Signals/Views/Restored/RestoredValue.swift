/// An object that stores the value of a ``Restored`` in the graph, by its key.
///
/// Snapshots and change sets contain it like any other object. If it is changed from elsewhere, by
/// a replica for instance, the state of the views that show it changes too. A value that can't be
/// decoded, because the app has changed, is skipped (``Object/isSkippedIfUndecodable``).
public final class RestoredValue<Value: FieldValue>: Object {
  /// The key of the wrapper.
  @PrimaryKey public internal(set) var key = ""
  /// The last value; nil before a value has been stored.
  @Field public internal(set) var value: Value?

  /// A view can start with its declared value.
  public override static var isSkippedIfUndecodable: Bool { true }
}

/// A class of objects that store the state of views and aren't part of the app's graph.
protocol ViewStateObject: Object {}

extension RestoredValue: ViewStateObject {}

extension ChangeSet {
  /// The changes without view state: `@Restored` values, and drafts with `restoredAs:`.
  package var withoutViewState: ChangeSet {
    ChangeSet(changes.filter { !($0.type is any ViewStateObject.Type) }, origin: origin)
  }
}

extension Origin {
  /// The origin of commits that store the state of views.
  public static let restored = Origin("restored")
}
