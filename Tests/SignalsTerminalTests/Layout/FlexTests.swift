import SignalsTerminal
import SignalsTesting
import Testing

@Suite struct `Layout, lengths that are shared` {
  private func lengths(_ items: FlexItem..., in available: Int, spacing: Int = 0) -> [Int] {
    FlexLayout.lengths(items, in: available, spacing: spacing)
  }

  @Test func `each gets its ideal where there is room`() {
    #expect(lengths(FlexItem(ideal: 3), FlexItem(ideal: 5), in: 20) == [3, 5])
  }

  @Test func `what is left goes to those that flex, by their parts, up to their maxima`() {
    #expect(lengths(FlexItem(ideal: 4, flex: 1), FlexItem(ideal: 4, flex: 3), in: 20) == [7, 13])
    #expect(
      lengths(FlexItem(ideal: 2, maximum: 4, flex: 1), FlexItem(ideal: 2, flex: 1), in: 20)
        == [4, 16])
    #expect(lengths(FlexItem(ideal: 2), FlexItem(ideal: 2, flex: 1), in: 10, spacing: 2) == [2, 6])
  }

  @Test func `what is missing is taken from those that flex first, and never below the minima`() {
    #expect(
      lengths(FlexItem(minimum: 2, ideal: 10, flex: 1), FlexItem(minimum: 5, ideal: 10), in: 14)
        == [4, 10])
    #expect(
      lengths(FlexItem(minimum: 2, ideal: 10, flex: 1), FlexItem(minimum: 5, ideal: 10), in: 9)
        == [2, 7])
  }

  @Test func `where not even the minima fit the last go without`() {
    #expect(
      lengths(FlexItem(minimum: 5, ideal: 5), FlexItem(minimum: 5, ideal: 5), in: 7) == [5, 2])
    #expect(
      lengths(FlexItem(minimum: 5, ideal: 5), FlexItem(minimum: 5, ideal: 5), in: 0) == [0, 0])
  }

  @Test(arguments: 0..<20) func `the whole width is shared, and no more`(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<100 {
      let items = (0..<Int.random(in: 1...6, using: &random)).map { _ in
        let minimum = Int.random(in: 0...10, using: &random)
        return FlexItem(
          minimum: minimum, ideal: Int.random(in: 0...20, using: &random),
          maximum: Bool.random(using: &random) ? .max : minimum + 5,
          flex: Double(Int.random(in: 0...3, using: &random)))
      }
      let available = Int.random(in: 0...100, using: &random)
      let lengths = FlexLayout.lengths(items, in: available)
      let total = lengths.reduce(0, +)
      #expect(total <= available && lengths.allSatisfy { $0 >= 0 })
      for (length, item) in zip(lengths, items) { #expect(length <= item.maximum) }
      if items.contains(where: { $0.flex > 0 && $0.maximum == .max }) {
        #expect(total == available)
      }
      if items.reduce(0, { $0 + $1.minimum }) <= available {
        for (length, item) in zip(lengths, items) { #expect(length >= item.minimum) }
      }
    }
  }
}
