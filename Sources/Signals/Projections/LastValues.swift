// The values of a projection after its root is deleted.
//
// Deleting an object empties its links and lists, which key paths may lead through. So the store
// has all live projections keep their values before anything is unlinked. Later they could no
// longer be computed exactly.

/// The values of a projection when its root was deleted, and the values written to it since.
///
/// State: `versions`, a signal for each value that has been read under tracking.
final class LastValues {
  private var values: [Int: Any]
  // Invalidates the readers of a value when it is overwritten.
  private var versions: [Int: Signal<Int>] = [:]

  init(_ values: [Int: Any]) { self.values = values }

  func value(at offset: Int) -> Any? {
    if Node.hasReader {
      let version = versions[offset] ?? Signal(0)
      versions[offset] = version
      _ = version.value
    }
    return values[offset]
  }

  func set(_ value: Any, at offset: Int) {
    if let old = values[offset], ProjectedProperty.isSame(old, value) { return }
    let old = values.updateValue(value, forKey: offset)
    versions[offset]?.value += 1
    withExtendedLifetime(old) {}
  }
}

extension ProjectionRegistry: ObjectCompanion {
  /// Makes the projections of an object keep their values, before the object is deleted.
  func willDelete() {
    if isEmpty { return }
    Node.withoutReader {
      // A projection that lost another root earlier already has its values.
      for projection in live where !projection.objects.isGone {
        projection.last = LastValues(projection.values)
      }
    }
  }

  /// Makes the projections drop the values that they kept.
  func didLoseStore() {
    for projection in live { Scheduler.deferRelease(exchange(&projection.last, with: nil) as Any) }
    Scheduler.release()
  }
}
