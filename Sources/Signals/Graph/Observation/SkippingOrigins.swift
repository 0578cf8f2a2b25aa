// Observers that are not told of the commits of some origins.
//
// State: `Store.skippers`, the observers that skip anything and became due in the transaction; and of observers
// of live rows, whether they are due by something else (`SkippedCommits`).
//
// Order of events: when something that such an observer has read changes for the first time since it looked,
// it joins the transaction under way. When that has been sealed with an origin to be skipped, before anybody is
// told, the observer looks again: what it finds is what it saw last. One that was due before, by another
// commit, does not join: it is told of both as one change.

/// An observer that may skip what a transaction has done.
protocol OriginSkipper: AnyObject {
  /// The transaction in which it became due has been sealed.
  func willTell(of origin: Origin?)
}

/// An observer, as long as somebody has its token.
struct SkipperReference {
  weak let skipper: (any OriginSkipper)?
}

extension Store {
  /// Adds an observer to those that the transaction under way has woken.
  func didWake(_ skipper: any OriginSkipper) {
    if skippers.last?.skipper !== skipper { skippers.append(SkipperReference(skipper: skipper)) }
  }

  /// Lets observers that skip an origin see what a transaction has left; it is sealed.
  func skip(_ origin: Origin?) {
    for reference in exchange(&skippers, with: []) { reference.skipper?.willTell(of: origin) }
  }
}

/// Finds out, for an observer that is woken by each write, whether a commit of a skipped origin is all that woke it.
final class SkippedCommits: OriginSkipper {
  private let store: Store
  private let origins: Set<Origin>
  private var isDue = false
  /// Has the observer see what there is now.
  var skip: () -> Void = {}

  init(_ origins: Set<Origin>, in store: Store) {
    self.origins = origins
    self.store = store
  }

  /// Something that the observer follows may have changed.
  func wake() {
    if isDue { return }
    if store.transaction == nil && !store.isSealing { return isDue = true }
    store.didWake(self)
  }

  /// The observer has been told.
  func didLook() { isDue = false }

  func willTell(of origin: Origin?) {
    if isDue { return }
    if let origin, origins.contains(origin) { skip() } else { isDue = true }
  }
}
