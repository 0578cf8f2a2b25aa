import Signals
import TestSupport
import Testing

/// Graphs as deep as memory allows.
@Suite struct `Graph, depth` {
  private func chain(_ count: Int) -> Chain {
    var first = Chain()
    for key in 1..<count {
      let chain = Chain()
      (chain.key, chain.next) = (key, first)
      first = chain
    }
    return first
  }

  @Test func `100,000 objects are added through reach and released with their store`() throws {
    weak var last: Chain?
    do {
      let store = Store()
      let first = chain(100_000)
      try store.add(first)
      last = store.object(Chain.self, primaryKey: 0)
      #expect(last?.store === store)
    }
    #expect(last == nil)
  }

  @Test func `100,000 objects are deleted by cascade and undone`() throws {
    let store = Store()
    let first = chain(100_000)
    try store.write(undoable: false) { try store.add(first) }
    try store.delete(first)
    #expect(store.object(Chain.self, primaryKey: 0) == nil && first.next == nil)
    try store.undo()
    #expect(store.object(Chain.self, primaryKey: 0) != nil && first.next != nil)
  }

  @Test func `100,000 objects that were thrown back are released`() throws {
    let store = Store()
    var first: Chain? = chain(100_000)
    weak let weakFirst = first
    #expect(throws: Refusal.self) {
      try store.write {
        if let first { try store.add(first) }
        throw Refusal()
      }
    }
    first = nil
    #expect(weakFirst == nil)
  }
}
