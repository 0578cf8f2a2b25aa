import Foundation
import Signals
import TestSupport
import Testing

/// What a field can hold, and how classes inherit.
@Suite struct `Graph, values of fields` {
  let store = Store()
  let sample = Sample()

  init() throws { try store.add(sample) }

  /// Writes a value, and checks the read, the observer, the change set, a rollback and an undo.
  private func check<Value: FieldValue>(
    _ path: ReferenceWritableKeyPath<Sample, Value>, _ new: Value,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let old = sample[keyPath: path]
    var seen: [Value] = []
    var told: [Value?] = []
    let effect = Effect { seen.append(self.sample[keyPath: path]) }
    let token = store.commits.sink { told.append($0[self.sample]?.new(path)) }
    sample[keyPath: path] = new
    sample[keyPath: path] = new
    try? store.write {
      sample[keyPath: path] = old
      throw Refusal()
    }
    #expect(seen == [old, new] && told == [new], sourceLocation: sourceLocation)
    try store.undo()
    #expect(
      sample[keyPath: path] == old && seen == [old, new, old], sourceLocation: sourceLocation)
    withExtendedLifetime((effect, token)) {}
  }

  @Test func `numbers, strings and Foundation's values`() throws {
    try check(\.byte, 200)
    try check(\.double, 1.5)
    try check(\.flag, true)
    try check(\.text, "ö")
    try check(\.data, Data([1, 2]))
    try check(\.date, Date(timeIntervalSince1970: 5))
    try check(\.uuid, UUID())
    try check(\.url, URL(string: "https://example.org"))
  }

  @Test func `optionals, nested too`() throws {
    try check(\.maybe, 3)
    try check(\.doubly, .some(nil))
    try check(\.doubly, 4)
  }

  @Test func `enums with payloads and nested structs`() throws {
    try check(\.shape, .circle(radius: 2))
    try check(\.shape, .named("x", Size(width: 3, height: 4)))
    try check(\.nested, Nested(name: "a", inner: .init(sizes: [Size(width: 1, height: 1)])))
  }

  @Test func `arrays, sets and dictionaries`() throws {
    try check(\.numbers, [3, 1])
    try check(\.words, ["a", "b"])
    try check(\.settings, ["x": "1"])
    try check(\.deep, ["k": [Size(width: 1, height: 2)]])
    try check(\.pairs, [.init(name: "p")])
  }

  @Test func `collections are changed in place, element by element`() throws {
    var seen: [[Int]] = []
    let effect = Effect { seen.append(self.sample.numbers) }
    try store.write {
      sample.numbers.append(1)
      sample.numbers += [2, 3]
      sample.numbers[0] = 9
      sample.settings["a", default: ""] += "x"
      sample.words.formUnion(["p", "q"])
      sample.deep["d", default: []].append(Size(width: 0, height: 0))
      sample.nested.inner.sizes.append(Size(width: 5, height: 5))
      sample.nested.inner.sizes[0].width = 6
    }
    #expect(seen == [[], [9, 2, 3]] && sample.settings == ["a": "x"])
    #expect(sample.words == ["p", "q"] && sample.deep["d"]?.count == 1)
    #expect(sample.nested.inner.sizes == [Size(width: 6, height: 5)])
    try store.undo()
    #expect(sample.numbers.isEmpty && sample.settings.isEmpty && sample.nested == Nested())
    withExtendedLifetime(effect) {}
  }

  @Test func `a computed property is observed through what it reads, and no more`() throws {
    var seen: [String] = []
    let effect = Effect { seen.append(self.sample.summary) }
    sample.numbers = [1, 2]
    sample.flag = true
    sample.text = "t"
    #expect(seen == [" 0", " 2", "t 2"])
    let long = store.results(Sample.self).where { $0.summary.count > 3 }
    #expect(long.isEmpty)
    sample.summary = "title"
    #expect(sample.text == "title" && long.count == 1)
    withExtendedLifetime(effect) {}
  }

  @Test func `fields are inherited, and results cover subclasses`() throws {
    let (circle, square, figure) = (Round(), Boxy(), Figure())
    (circle.name, square.name, figure.name) = ("circle", "square", "figure")
    let board = Board()
    board.figures = [circle, square, figure, circle]
    board.main = square
    try store.add(board)
    #expect(store.results(Figure.self).map(\.name) == ["circle", "square", "figure"])
    #expect(store.results(Round.self).count == 1 && store.results(Boxy.self).count == 1)
    #expect(store.results(Figure.self).where(\.name, equals: "circle").first === circle)
    var areas: [Double] = []
    let effect = Effect { areas.append(board.figures.reduce(0) { $0 + $1.area }) }
    circle.radius = 2
    square.side = 3
    circle.name = "x"
    #expect(areas == [0, 8, 17] && Array(circle.boards) == [board])
    #expect(circle.boards.multiplicity(of: board) == 2)
    #expect((board.main as? Boxy)?.side == 3)
    var change: TypedChange<Round>?
    let token = circle.observe { change = $0 }
    try store.write { (circle.radius, circle.name) = (1, "circle") }
    #expect(change?.old(\.name) == "x" && change?.new(\.radius) == 1)
    try store.delete(square)
    #expect(board.main == nil && board.figures.count == 3 && store.results(Figure.self).count == 2)
    try store.undo()
    #expect(board.main === square && store.brokenInvariants() == [])
    withExtendedLifetime((effect, token)) {}
  }

  @Test func `a subclass met later is covered by results made before`() throws {
    let all = store.results(Figure.self)
    #expect(all.isEmpty)
    try store.add(Round())
    try store.add(Boxy())
    #expect(all.count == 2)
  }
}

private class Figure: Object {
  @Indexed var name = ""
  @Inverse(\Board.figures) var boards
  var area: Double { 0 }
}

private final class Round: Figure {
  @Field var radius = 0.0
  override var area: Double { radius * radius }
}

private final class Boxy: Figure {
  @Field var side = 0.0
  override var area: Double { side * side }
}

private final class Board: Object {
  @Links var figures: List<Figure>
  @Link var main: Figure?
}
