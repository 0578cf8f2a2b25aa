// Code of an app that answers the commits of a store, also those of merges, with commits.

internal import Signals
internal import SignalsSync
internal import TestSupport

/// An effect, an observer of commits and a rule that write, delete and undo at random.
final class Reactions {
  private unowned let store: Store
  private var random: SeededGenerator
  /// Whether a commit is being answered: its answers aren't.
  private var isAnswering = false
  private var effect: Effect?
  private var token: (any Cancellable)?
  private var rule: (any Cancellable)?

  init(_ store: Store, seed: UInt64) {
    self.store = store
    random = SeededGenerator(seed: seed)
    let pages = store.results(Page.self).sorted(by: \.title)
    effect = Effect { [unowned self] in
      _ = pages.map(\.size)
      untracked { answer() }
    }
    token = store.commits.sink { [unowned self] _ in answer() }
    rule = store.beforeCommit { [unowned self] _ in
      if !isAnswering, random.chance(10) { pick(Page.self)?.size += 1 }
    }
  }

  deinit {
    effect?.cancel()
    token?.cancel()
    rule?.cancel()
  }

  private func pick<Element: Object>(_ type: Element.Type) -> Element? {
    store.storedObjects.compactMap { $0 as? Element }.sorted { $0.objectID < $1.objectID }
      .randomElement(using: &random)
  }

  private func answer() {
    guard !isAnswering, random.chance(30) else { return }
    isAnswering = true
    defer { isAnswering = false }
    do {
      switch Int.random(in: 0..<8, using: &random) {
      case 0: pick(Page.self)?.title = "r"
      case 1: pick(Page.self)?.visits += 1
      case 2: pick(Page.self)?.seen -= 1
      case 3: if let page = pick(Page.self) { try store.delete(page) }
      case 4: if let part = pick(Part.self) { try store.delete(part) }
      case 5: try store.undo(onConflict: .theirs)
      case 6: try store.add(Page())
      default: pick(Page.self)?.related = []
      }
    } catch {
      // What the model doesn't allow here is refused, and changes nothing.
    }
  }
}
