import Signals
import TestSupport
import Testing

@Suite struct `What results keep alive` {
  @Test func `a query that goes leaves no node and no registration`() throws {
    let nodes = ReactiveGraph.liveNodes
    let edges = ReactiveGraph.liveEdges
    do {
      let store = Store(undoLimit: 0)
      let novels = try store.addTales(0..<100)
      let ada = Teller()
      try store.write { for novel in novels { novel.poet = ada } }
      let limit = Signal(3)
      for _ in 0..<3 {
        let results = store.results(Tale.self).where {
          $0.pages > limit.value && $0.poet?.name == ""
        }
        var calls = 0
        let token = results.observe { _ in calls += 1 }
        let effect = Effect { _ = results.count }
        limit.value += 1
        novels[50].poet = nil
        novels[50].poet = ada
        #expect(calls == 3)
        withExtendedLifetime((token, effect)) {}
      }
      novels[0].pages = 200
      ada.name = "x"
    }
    #expect(ReactiveGraph.liveNodes == nodes)
    #expect(ReactiveGraph.liveEdges == edges)
  }

  @Test func `a store is released once it and its results have no users`() throws {
    weak var weakStore: Store?
    weak var novel: Tale?
    do {
      var store: Store? = Store()
      weakStore = store
      novel = try store?.addTales([1]).first
      var results = store?.results(Tale.self)
      #expect(results?.count == 1)
      store = nil
      #expect(weakStore != nil && results?.count == 1)
      results = nil
    }
    #expect(weakStore == nil && novel == nil)
  }

  @Test func `an observer keeps its results alive, and they go with it`() throws {
    let store = Store(undoLimit: 0)
    let novels = try store.addTales([1])
    var calls = 0
    var token: (any Cancellable)? = store.results(Tale.self).observe { _ in calls += 1 }
    novels[0].pages = 2
    #expect(calls == 1)
    token = nil
    novels[0].pages = 3
    #expect(calls == 1)
    _ = token
  }
}
