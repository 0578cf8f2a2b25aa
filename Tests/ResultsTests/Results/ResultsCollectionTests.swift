import Signals
import TestSupport
import Testing

@Suite struct `Results as a collection` {
  let store = Store()

  @Test func `a loop goes over one version while its rows are deleted`() throws {
    _ = try store.addTales(0..<500)
    let results = store.results(Tale.self).sorted(by: \.pages)
    var visited = 0
    try store.write {
      for novel in results {
        try store.delete(novel)
        visited += 1
      }
    }
    #expect(visited == 500 && results.isEmpty)
  }

  @Test func `positions, slices and searches agree with an array`() throws {
    let novels = try store.addTales((0..<100).map { ($0 &* 31) % 17 })
    let sorted = store.results(Tale.self).sorted(by: \.pages)
    let array = Array(sorted)
    #expect(sorted.indices.map { sorted[$0] } == array)
    #expect(Array(sorted[10..<20]) == Array(array[10..<20]))
    #expect(Array(sorted.reversed()) == array.reversed())
    for novel in novels { #expect(sorted.firstIndex(of: novel) == array.firstIndex(of: novel)) }
    #expect(sorted.firstIndex(of: Tale()) == nil && !sorted.contains(Tale()))
    #expect(sorted.last === array.last)
  }

  @Test func `a transaction reads what was written so far`() throws {
    let long = store.results(Tale.self).where { $0.pages > 1 }.sorted(by: \.pages)
    try store.write {
      let novels = try store.addTales([1, 2, 3])
      #expect(long.pages == [2, 3])
      novels[0].pages = 9
      #expect(long.pages == [2, 3, 9])
      try? store.write {
        try store.delete(novels[1])
        #expect(long.pages == [3, 9])
        throw CancellationError()
      }
      #expect(long.pages == [2, 3, 9])
    }
  }

  @Test func `copies and results with the same keys are equal, and those with conditions are not`()
  {
    let results = store.results(Tale.self)
    let copy = results
    #expect(copy == results)
    #expect(store.results(Tale.self) == results)
    let sorted = results.sorted(by: \.title)
    #expect(sorted != results)
    #expect(store.results(Tale.self).sorted(by: \.title) == sorted)
    #expect(results.sorted(by: \.title, order: .descending) != sorted)
    #expect(results.sorted(by: \.pages) != sorted)
    #expect(results.sorted(by: .ascending(\.title), .ascending(\.pages)) != sorted)
    #expect(results.where { _ in true } != results.where { _ in true })
    #expect(results.sorted(by: \.title, using: <) != results.sorted(by: \.title, using: <))
  }

  @Test func `an index out of range traps by name`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = Store()
      _ = try store.addTales([1])
      _ = store.results(Tale.self)[1]
    }
    #expect(text(result).contains("index 1 is outside of the results of Tale"))
  }

  @Test func `a write in a condition traps by name`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = Store()
      _ = try store.addTales([1])
      _ =
        store.results(Tale.self).where {
          $0.pages = 2
          return true
        }.count
    }
    #expect(text(result).contains("a predicate or sort key of the results of Tale must not write"))
  }

  @Test func `a condition that reads its own results traps by name`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = Store()
      _ = try store.addTales([1])
      var results: Results<Tale>?
      results = store.results(Tale.self).where { _ in results?.count ?? 0 == 0 }
      _ = results?.count
    }
    #expect(text(result).contains("of the results of Tale reads those same results"))
  }

  @Test func `a comparison that contradicts itself traps by name`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = Store()
      let novels = try store.addTales(0..<100)
      var isReversed = false
      let results = store.results(Tale.self).sorted(by: \.pages) { isReversed ? $0 > $1 : $0 < $1 }
      _ = results.count
      isReversed = true
      novels[10].pages = 1000
      _ = results.count
    }
    #expect(text(result).contains("no strict weak ordering"))
  }

  private func text(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }
}
