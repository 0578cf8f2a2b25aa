import Signals
import TestSupport
import Testing

/// `store.afterCommit`: what follows a commit, and only a commit.
@Suite struct `Graph, after a commit` {
  struct Stop: Error, Equatable {}

  final class Item: Object { @Field var name = "" }

  private func stored() throws -> (Store, Item) {
    let store = Store(), item = Item()
    try store.write { try store.add(item) }
    return (store, item)
  }

  @Test func `it runs after the outermost write and everything that this set off`() throws {
    let (store, item) = try stored()
    var log: [String] = []
    let effect = Effect { log.append("effect \(item.name)") }
    let commits = store.commits.sink { _ in log.append("commit") }
    log = []
    try store.write {
      try store.write {
        store.afterCommit { log.append("after \(item.name)") }
        item.name = "a"
      }
      log.append("end")
    }
    #expect(log == ["end", "effect a", "commit", "after a"])
    withExtendedLifetime((effect, commits)) {}
  }

  @Test func `it is dropped with the write that throws`() throws {
    let (store, item) = try stored()
    var log: [String] = []
    #expect(throws: Stop()) {
      try store.write {
        item.name = "a"
        store.afterCommit { log.append("never") }
        throw Stop()
      }
    }
    try store.write { item.name = "b" }
    #expect(log.isEmpty)
  }

  @Test func `it is dropped with its savepoint alone`() throws {
    let (store, item) = try stored()
    var log: [String] = []
    try store.write {
      store.afterCommit { log.append("outer") }
      try? store.write {
        item.name = "a"
        store.afterCommit { log.append("inner") }
        throw Stop()
      }
      store.afterCommit { log.append("last") }
    }
    #expect(log == ["outer", "last"])
  }

  @Test func `a commit that beforeCommit refuses drops it`() throws {
    let (store, item) = try stored()
    var log: [String] = []
    let rule = store.beforeCommit { _ in throw Stop() }
    #expect(throws: Stop()) {
      try store.write {
        item.name = "a"
        store.afterCommit { log.append("never") }
      }
    }
    rule.cancel()
    #expect(log.isEmpty)
  }

  @Test func `without a transaction it runs at once`() throws {
    let (store, _) = try stored()
    var log: [String] = []
    store.afterCommit { log.append("now") }
    #expect(log == ["now"])
  }

  @Test func `it runs also if nothing was written`() throws {
    let (store, _) = try stored()
    var log: [String] = []
    try store.write { store.afterCommit { log.append("after") } }
    #expect(log == ["after"])
  }

  @Test func `what it writes is a commit of its own`() throws {
    let (store, item) = try stored()
    var sizes: [Int] = []
    let commits = store.commits.sink { sizes.append($0.changes.count) }
    try store.write {
      item.name = "a"
      store.afterCommit { item.name = "b" }
    }
    #expect(sizes == [1, 1])
    #expect(item.name == "b")
    try store.undo()
    #expect(item.name == "a")
    withExtendedLifetime(commits) {}
  }

  @Test func `what was dropped may write when it goes`() throws {
    final class Last {
      let run: () -> Void
      init(_ run: @escaping () -> Void) { self.run = run }
      deinit { run() }
    }
    let (store, item) = try stored()
    #expect(throws: Stop()) {
      try store.write {
        let last = Last { item.name += "!" }
        store.afterCommit { withExtendedLifetime(last) {} }
        throw Stop()
      }
    }
    #expect(item.name == "" || item.name == "!")
    try store.write { item.name = "a" }
    #expect(item.name == "a")
  }

  @Test func `of several stores in one intent each runs its own when all have succeeded`() throws {
    let (first, one) = try stored(), (second, two) = try stored()
    var log: [String] = []
    let trigger = Signal(0)
    var fails = true
    second.onRefusal = { _ in log.append("refused") }
    first.onRefusal = { _ in }
    second.beforeCommit { _ in if fails { throw Stop() } }
    let effect = Effect {
      guard trigger.value > 0 else { return }
      untracked {
        one.name = "\(trigger.value)"
        first.afterCommit { log.append("first") }
        two.name = "\(trigger.value)"
      }
    }
    trigger.value = 1
    #expect(log == ["refused"])
    #expect(one.name == "")
    fails = false
    trigger.value = 2
    #expect(log == ["refused", "first"])
    withExtendedLifetime(effect) {}
  }
}
