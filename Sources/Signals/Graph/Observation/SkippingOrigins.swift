// Observers that are not told of the commits of some origins.
//
// State: `Transaction.skippers`, the observers that skip anything and became due in the transaction; and of observers
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

extension Transaction {
  /// Lets observers that skip an origin see what the transaction has left.
  func skip(_ origin: Origin?) {
    for reference in skippers { reference.skipper?.willTell(of: origin) }
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
    guard let transaction = store.transaction ?? store.sealing else { return isDue = true }
    if transaction.skippers.last?.skipper !== self {
      transaction.skippers.append(SkipperReference(skipper: self))
    }
  }

  /// The observer has been told.
  func didLook() { isDue = false }

  func willTell(of origin: Origin?) {
    if isDue { return }
    if let origin, origins.contains(origin) { skip() } else { isDue = true }
  }
}
