// What a projection shows after its root was deleted.
//
// Deleting empties links and lists, which a path may lead through. So before anything is unlinked, the store
// tells the projections that somebody holds to take their values: only then are they known exactly.

/// The values of a projection at the deletion of its root, and what was written over them since.
///
/// State: `versions`, of the values that somebody reads.
final class LastValues {
  private var values: [Int: Any]
  // Whoever reads a value hears of what is written over it.
  private var versions: [Int: Signal<Int>] = [:]

  init(_ values: [Int: Any]) { self.values = values }

  func value(at offset: Int) -> Any? {
    if unsafe Node.reader != nil {
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
  /// Has the projections of an object that is about to be deleted keep their values.
  func willDelete() {
    if isEmpty { return }
    Node.withoutReader {
      // One that lost another root before has its values.
      for projection in live where !projection.objects.isGone { projection.keepValues() }
    }
  }

  /// Has the projections forget what they kept.
  func didLoseStore() {
    for projection in live { Turn.leave(exchange(&projection.last, with: nil) as Any) }
    Turn.letGo()
  }
}

extension LiveProjection {
  fileprivate func keepValues() {
    var values: [Int: Any] = [:]
    for property in ProjectedProperty.all(of: type(of: self)) {
      values[property.offset] = evaluate(property)
    }
    last = LastValues(values)
  }
}
