import Signals
import TestSupport
import Testing

private final class Leaf: Object {
  @Field var title = ""
  @Field var isShown = true
}

private final class LeafHolder: Object {
  @Field var name = ""
  @Link var leaf: Leaf?
}

/// What an object keeps for those who read it.
@Suite struct `Graph, properties that are read` {
  let store = Store()
  private let leaf = Leaf()

  init() throws { try store.add(leaf) }

  @Test func `a property that has lost its last reader keeps nothing`() {
    let effect = Effect { _ = leaf.title + "\(leaf.isShown) \(leaf.isDeleted)" }
    #expect(leaf.propertyNodeCount == 3)
    effect.cancel()
    #expect(leaf.propertyNodeCount == 0)
  }

  @Test func `one that an effect reads no longer goes when it has run`() {
    let log = Signal<[String]>([])
    let effect = Effect {
      let text = leaf.isShown ? leaf.title : "-"
      untracked { log.value.append(text) }
    }
    leaf.isShown = false
    #expect(leaf.propertyNodeCount == 1)
    leaf.title = "a"
    leaf.isShown = true
    leaf.title = "b"
    #expect(log.value == ["", "-", "a", "b"] && leaf.propertyNodeCount == 2)
    effect.cancel()
  }

  @Test func `a property that is read again before the batch ends stays, and reports the write`() {
    let first = Signal(0)
    var runs = 0
    var effect: Effect? = Effect { _ = leaf.title }
    batch {
      leaf.title = "a"
      effect = nil
      effect = Effect {
        _ = (leaf.title, first.value)
        runs += 1
      }
    }
    #expect(leaf.propertyNodeCount == 1 && runs == 1)
    leaf.title = "b"
    #expect(runs == 2)
    withExtendedLifetime(effect) {}
  }

  @Test func `any number of readers may come and go in one batch`() {
    let leaves = store.results(Leaf.self)
    var wrong = 0
    batch {
      // More than 16 bits count.
      for _ in 0..<70_000 {
        let reader = Computed { leaf.title.utf8.count + leaves.count }
        if reader.value != 1 { wrong += 1 }
      }
      #expect(leaf.propertyNodeCount == 1)
    }
    #expect(leaf.propertyNodeCount == 0 && wrong == 0)
  }

  @Test func `as many properties as one likes are let go at once`() {
    let leaves = (0..<runLength(usually: 100_000)).map { _ in Leaf() }
    let shown = Signal(true)
    let effect = Effect { if shown.value { for leaf in leaves { _ = leaf.title } } }
    #expect(leaves.allSatisfy { $0.propertyNodeCount == 1 })
    shown.value = false
    #expect(leaves.allSatisfy { $0.propertyNodeCount == 0 })
    shown.value = true
    effect.cancel()
    #expect(leaves.allSatisfy { $0.propertyNodeCount == 0 })
  }

  @Test func `a key path that is only looked at keeps nothing of what it leads past`() throws {
    let pair = LeafHolder()
    pair.leaf = leaf
    try store.add(pair)
    let token = pair.observe(\.leaf?.title) { _, _ in }
    #expect(leaf.propertyNodeCount == 1)
    token.cancel()
    #expect(pair.propertyNodeCount == 0 && leaf.propertyNodeCount == 0)
  }

  @Test func `an object whose properties wait to be told goes with what keeps it`() throws {
    final class Place { weak var leaf: Leaf? }
    let (place, all) = (Place(), store.results(Leaf.self))
    func keeping(_ leaf: Leaf) -> Effect {
      place.leaf = leaf
      var leaf: Leaf? = leaf
      return Effect {
        _ = place.leaf?.title
        // The results are the effect's own, and their condition keeps the leaf from then on.
        if let kept = leaf { _ = all.where { $0 !== kept }.count }
        leaf = nil
      }
    }
    let first = keeping(Leaf())
    let second = Effect { _ = place.leaf?.isShown }
    #expect(place.leaf?.propertyNodeCount == 2)
    first.cancel()
    #expect(place.leaf == nil)
    #expect(ReactiveGraph.checkInvariants([second]) == [])
    second.cancel()
  }

  @Test func `a computed that alone keeps an object goes with it`() {
    for _ in 0..<10 {
      let leaf = Leaf()
      let reader = Computed { leaf.title + "\(leaf.isShown) \(leaf.isDeleted)" }
      #expect(reader.value == "true false")
    }
    let effect = Effect { _ = leaf.title }
    #expect(ReactiveGraph.checkInvariants([effect]) == [])
    effect.cancel()
  }

  @Test func `an object that goes while it waits to be told is no harm`() {
    batch {
      for _ in 0..<100 {
        let fallen = Leaf()
        let reader = Computed { fallen.title }
        #expect(reader.value == "")
      }
    }
    let effect = Effect { _ = leaf.title }
    #expect(ReactiveGraph.checkInvariants([effect]) == [])
    effect.cancel()
  }
}
