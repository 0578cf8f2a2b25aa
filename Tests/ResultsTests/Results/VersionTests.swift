import Signals
import TestSupport
import Testing

/// Loops, slices and `map` over live collections that change meanwhile.
@Suite struct `Versions of live results` {
  let store = Store()

  @Test func `a loop over slices may delete as it goes`() throws {
    let tales = try store.addTales([1, 2, 3, 4, 5])
    let all = store.results(Tale.self).sorted(by: \.pages)
    for tale in all[1..<3] { try store.delete(tale) }
    #expect(all.pages == [1, 4, 5])
    for tale in all.dropFirst().dropLast() { try store.delete(tale) }
    #expect(all.pages == [1, 5])
    for tale in all.suffix(1) { try store.delete(tale) }
    try store.add(tales[1])
    for tale in all.reversed() { try store.delete(tale) }
    #expect(all.isEmpty)
  }

  @Test func `map goes over one version, and hands errors on`() throws {
    _ = try store.addTales([1, 2, 3])
    let all = store.results(Tale.self).sorted(by: \.pages)
    #expect(throws: CancellationError.self) { try all.map { _ in throw CancellationError() } }
    let sections = all.sectioned(by: \.title)
    #expect(try sections[0].map { try store.delete($0) }.count == 1)
    _ = try all.map { try store.delete($0) }
    #expect(all.isEmpty)
  }

  @Test func `a slice has the positions of the results, and keeps its rows`() throws {
    let tales = try store.addTales([1, 2, 3, 4])
    let all = store.results(Tale.self).sorted(by: \.pages)
    let slice = all[1...]
    #expect(slice.startIndex == 1 && slice[1] === tales[1] && slice.count == 3)
    tales[0].pages = 10
    try store.delete(tales[3])
    #expect(slice.map(\.pages) == [2, 3, 4] && slice[2..<4].map(\.pages) == [3, 4])
    #expect(slice.firstIndex(of: tales[3]) == 3 && all.pages == [2, 3, 10])
    #expect(all.dropFirst(7).isEmpty && all.prefix(while: { $0.pages < 10 }).count == 2)
  }

  @Test func `generic code gets slices, of prefix too`() throws {
    func firstTwo(_ rows: some RandomAccessCollection<Tale>) -> [Tale] { Array(rows.prefix(2)) }
    let tales = try store.addTales([1, 2, 3])
    #expect(firstTwo(store.results(Tale.self)) == Array(tales[..<2]))
  }

  @Test func `a loop over sections goes over one version while they go`() throws {
    _ = try store.addTales(titled: ["a", "b", "c", "b"])
    let sections = store.results(Tale.self).sectioned(by: \.title)
    var seen: [String] = []
    for section in sections {
      seen.append(section.key)
      for tale in section { try store.delete(tale) }
    }
    #expect(seen == ["a", "b", "c"] && sections.isEmpty)
  }

  @Test func `sections are mapped and sliced in one version, and so are their rows`() throws {
    _ = try store.addTales(titled: ["a", "b", "c", "b"])
    let sections = store.results(Tale.self).sorted(by: \.pages).sectioned(by: \.title)
    for tale in sections[1].dropFirst() { try store.delete(tale) }
    #expect(text(sections) == ["a: [1]", "b: [2]", "c: [3]"])
    for section in sections.dropFirst() {
      for tale in section.reversed() { try store.delete(tale) }
    }
    #expect(text(sections) == ["a: [1]"])
  }

  @Test func `projected results are sliced in the same way`() throws {
    final class Line: Projection<Tale> { @Projected(\Tale.pages) var pages: Int }
    _ = try store.addTales([1, 2, 3])
    let rows = store.results(Tale.self).projected(to: Line.self).sorted(by: \.pages)
    for row in rows.dropFirst() { try store.delete(row.root) }
    #expect(rows.map(\.pages) == [1])
  }

  @Test func `an index outside of a slice traps by name`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = Store()
      _ = try store.addTales([1, 2, 3])
      _ = store.results(Tale.self)[1..<2][2]
    }
    expectError(result, "Signals: index 2 is outside of a slice of the rows 1..<2 of Tale")
  }
}
