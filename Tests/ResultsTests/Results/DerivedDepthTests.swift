import Signals
import TestSupport
import Testing

/// Results made of results made of results.
@Suite struct `Results, derived deeply` {
  private func chain(
    _ count: Int, _ derive: (Results<Note>, Int) -> Results<Note>
  ) throws -> (store: Store, last: Results<Note>) {
    let (store, _) = try notes(3)
    var last = store.results(Note.self)
    for number in 0..<count { last = derive(last, number) }
    return (store, last)
  }

  @Test func `the first of the first, 200 deep, are kept up to date, and go`() throws {
    for isReadAtOnce in [false, true] {
      let (store, last) = try chain(200) { results, number in
        if isReadAtOnce { _ = results.count }
        return number.isMultiple(of: 3) ? results.distinct(by: \.title) : results.limit(2)
      }
      #expect(last.map(\.number) == [0, 1])
      var changes = 0
      let token = last.observe { _ in changes += 1 }
      try store.delete(last[0])
      #expect(last.map(\.number) == [1, 2] && changes == 1)
      last[0].title = "x"
      #expect(changes == 2)
      token.cancel()
    }
  }

  @Test func `deeper is a trap that says so`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      var last = Store().results(Note.self)
      for _ in 0...200 { last = last.limit(2) }
    }
    expectError(
      result,
      "the results of Note are made of others 201 deep, by limit or distinct: at most 200 can be")
  }

  /// Each has a copy of the conditions before it: memory is quadratic, and so no more than these.
  @Test func `a long chain of conditions is read and released without nesting`() throws {
    let (store, last) = try chain(3000) { results, number in results.where { $0.rank != number + 1 }
    }
    #expect(last.map(\.number) == [0])
    try store.write { for note in store.results(Note.self) { note.rank = 0 } }
    #expect(last.count == 3)
  }
}
