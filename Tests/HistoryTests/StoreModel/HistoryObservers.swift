import Signals
import TestSupport

/// Everybody who watches the store of a history.
///
/// `commits`, `resultChanges` and `runs` count since they were set to nothing last.
final class HistoryObservers {
  let followsCommits: Bool
  let watchesResults: Bool
  let watchesAll: Bool
  var commits: [ChangeSet] = []
  var resultChanges = 0
  var runs = 0
  /// What the changes of the live result add up to.
  private(set) var mirror: [Being] = []
  /// What the effect saw.
  private(set) var seen: [String] = []
  private(set) var all: Results<Being>?
  private(set) var limbs: Results<Limb>?
  private(set) var chosen: Results<Being>?
  private var tokens: [any Cancellable] = []

  init(followsCommits: Bool, watchesResults: Bool, watchesAll: Bool) {
    self.followsCommits = followsCommits
    self.watchesResults = watchesResults
    self.watchesAll = watchesAll
  }

  func watch(_ store: Store) {
    if followsCommits {
      tokens.append(store.commits.sink { [unowned self] in commits.append($0) })
    }
    let all = store.results(Being.self)
    let chosen = all.where { $0.tag < 5 && $0.friend?.tag != 1 }.sorted(by: \.text)
    (self.all, limbs, self.chosen) = (all, store.results(Limb.self), chosen)
    mirror = Array(chosen)
    if watchesResults {
      tokens.append(
        chosen.observe { [unowned self] change in
          change.apply(to: &mirror)
          resultChanges += 1
        })
    }
    if watchesAll {
      tokens.append(
        Effect { [unowned self] in
          seen = all.map(Self.digest)
          runs += 1
        })
    }
    expectNothing()
  }

  /// What the effect reads of a being: values, links, a list, what it embeds, and who links to it.
  static func digest(_ being: Being) -> String {
    let owner = being.limb?.owner?.modelNumber ?? 0
    return """
      \(being.text) \(being.heir?.text ?? "-") \(being.list.map(\.tag)) \(owner) \
      \(being.friendOf.map(\.number)) \(being.limbs.map { $0.pet?.number ?? 0 }) \(being.isDeleted)
      """
  }

  func expectNothing() { (commits, resultChanges, runs) = ([], 0, 0) }

  var isQuiet: Bool { commits.isEmpty && resultChanges == 0 && runs == 0 }

  func stop() {
    for token in tokens { token.cancel() }
    tokens = []
    (all, limbs, chosen, mirror, seen) = (nil, nil, nil, [], [])
  }
}
