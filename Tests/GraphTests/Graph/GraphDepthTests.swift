import Signals
import TestSupport
import Testing

/// Graphs as deep as memory allows, on a stack of 512 KB.
@Suite struct `Graph, depth` {
  private static func chain() -> Chain {
    var first = Chain()
    for key in 1..<runLength(usually: 100_000) {
      let chain = Chain()
      (chain.key, chain.next) = (key, first)
      first = chain
    }
    return first
  }

  @Test func `a long chain is added through reach and released with its store`() {
    onSmallStack {
      weak var last: Chain?
      do {
        let store = Store()
        try store.add(Self.chain())
        last = store.object(Chain.self, primaryKey: 0)
        #expect(last?.store === store)
      }
      #expect(last == nil)
    }
  }

  @Test func `a long chain is deleted by cascade and undone`() {
    onSmallStack {
      let store = Store()
      let first = Self.chain()
      try store.write(undoable: false) { try store.add(first) }
      try store.delete(first)
      #expect(store.object(Chain.self, primaryKey: 0) == nil && first.next == nil)
      try store.undo()
      #expect(store.object(Chain.self, primaryKey: 0) != nil && first.next != nil)
    }
  }

  @Test func `a long chain that was thrown back is released`() {
    onSmallStack {
      let store = Store()
      var first: Chain? = Self.chain()
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
}
