import Signals

/// One graph of the dynamic suite, with one effect on its leaves.
final class DynamicGraph {
  let evaluations = Counter()
  private let sources: [Signal<Double>]
  private let leaves: [Computed<Double>]
  private let effect: Effect

  init(_ configuration: DynamicSuite.Configuration) {
    let sources = (0..<configuration.width).map { Signal(Double($0)) }
    var random = PseudoRandom()
    var row = Self.makeRow(sources, configuration, &random, evaluations)
    for _ in 2..<configuration.rows {
      row = Self.makeRow(row, configuration, &random, evaluations)
    }
    let leaves = Self.sample(row, configuration.readFraction)
    self.sources = sources
    self.leaves = leaves
    effect = Effect { for leaf in leaves { use(leaf.value) } }
  }

  /// Writes to one source after the other, reads the leaves each time, and adds them up at the end.
  func run(_ iterations: Range<Int>) -> Double {
    for iteration in iterations {
      let index = iteration % sources.count
      batch { sources[index].value = Double(iteration + index) }
      for leaf in leaves { use(leaf.value) }
    }
    return leaves.reduce(0) { $1.value + $0 }
  }

  private static func makeRow<Source: Readable<Double>>(
    _ row: [Source], _ configuration: DynamicSuite.Configuration, _ random: inout PseudoRandom,
    _ evaluations: Counter
  ) -> [Computed<Double>] {
    row.indices.map { index in
      let sources = (0..<configuration.reads).map { row[(index + $0) % row.count] }
      let isStatic = random.next() < configuration.staticFraction
      return isStatic
        ? makeStatic(sources, evaluations)
        : makeDynamic(sources[0], Array(sources.dropFirst()), evaluations)
    }
  }

  /// The sum of all sources.
  private static func makeStatic<Source: Readable<Double>>(
    _ sources: [Source], _ evaluations: Counter
  ) -> Computed<Double> {
    Computed {
      evaluations.count += 1
      var sum = 0.0
      for source in sources { sum += source.value }
      return sum
    }
  }

  /// The sum of the sources, without one of them if the first is odd.
  private static func makeDynamic<Source: Readable<Double>>(
    _ first: Source, _ others: [Source], _ evaluations: Counter
  ) -> Computed<Double> {
    Computed {
      evaluations.count += 1
      var sum = first.value
      let dropsOne = Int(sum) & 1 != 0
      let dropped = sum.truncatingRemainder(dividingBy: Double(others.count))
      for index in others.indices {
        if dropsOne, Double(index) == dropped { continue }
        sum += others[index].value
      }
      return sum
    }
  }

  /// A fraction of the leaves, chosen by chance.
  private static func sample(
    _ row: [Computed<Double>], _ fraction: Double
  ) -> [Computed<Double>] {
    var random = PseudoRandom()
    var leaves = row
    for _ in 0..<Int((Double(row.count) * (1 - fraction)).rounded()) {
      leaves.remove(at: Int(random.next() * Double(leaves.count)))
    }
    return leaves
  }
}
