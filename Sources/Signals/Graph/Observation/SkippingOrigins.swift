// Observers that are not told of the commits of some origins.
//
// State: `Transaction.skippers`, the observers that skip anything and became due in the transaction.
//
// Order of events: when something that such an observer has read changes for the first time since it looked,
// it joins the transaction under way. When that is sealed with an origin to be skipped, before anybody is
// told, the observer looks again: what it finds is what it saw last. One that was due before, by another
// commit, does not join: it is told of both as one change.

/// An observer that may skip what a transaction has done.
protocol OriginSkipper: AnyObject {
  /// The transaction in which it became due is sealed.
  func willTell(of origin: Origin)
}

/// An observer, as long as somebody has its token.
struct SkipperReference {
  weak let skipper: (any OriginSkipper)?
}

extension Transaction {
  /// Lets those who skip an origin see what the transaction has left.
  func skip(_ origin: Origin) {
    for reference in skippers { reference.skipper?.willTell(of: origin) }
  }
}
