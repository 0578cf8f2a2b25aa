// Observers that skip the commits of some origins.
//
// Order of events: when a dependency of such an observer changes for the first time since the
// observer last read it, the observer joins the open transaction. When the transaction has been
// sealed with a skipped origin, and before any observer is notified, the observer reads again and
// takes the value as the one it saw last. An observer that was already due because of another
// commit doesn't join. Both commits are reported to it as one change.

/// An observer that may skip the changes of a transaction.
protocol OriginFiltering: AnyObject {
  /// Called when the transaction in which the observer became due has been sealed.
  func willNotify(of origin: Origin?)
}

/// A weak reference to an observer, which lives as long as its token is retained.
struct OriginFilterReference {
  weak let filter: (any OriginFiltering)?
}

extension Store {
  /// Adds an observer to those that became due in the open transaction.
  func didWake(_ filter: any OriginFiltering) {
    if originFilters.last?.filter !== filter {
      originFilters.append(OriginFilterReference(filter: filter))
    }
  }

  /// Notifies the observers that joined a transaction of its origin, after it was sealed.
  func skip(_ origin: Origin?) {
    for reference in exchange(&originFilters, with: []) { reference.filter?.willNotify(of: origin) }
  }
}

/// Determines whether an observer is due only because of commits with skipped origins.
///
/// It is for observers that are woken by each write.
final class OriginFilter: OriginFiltering {
  private let store: Store
  private let origins: Set<Origin>
  /// Whether the observer is due because of a commit that it doesn't skip.
  private var isDue = false
  /// Makes the observer take the current state as the one it saw last.
  var skip: () -> Void = {}

  init(_ origins: Set<Origin>, in store: Store) {
    self.origins = origins
    self.store = store
  }

  /// Called when a dependency of the observer may have changed.
  func wake() {
    if isDue { return }
    if store.transaction == nil && !store.isSealing { return isDue = true }
    store.didWake(self)
  }

  /// Called when the observer has been notified.
  func didLook() { isDue = false }

  func willNotify(of origin: Origin?) {
    if isDue { return }
    if let origin, origins.contains(origin) { skip() } else { isDue = true }
  }
}
