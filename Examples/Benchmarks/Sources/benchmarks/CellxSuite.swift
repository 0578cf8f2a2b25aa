import Signals

/// Layers of four computeds that cross, an effect on each: one change through ten fresh graphs.
enum CellxSuite {
  private struct Layer {
    let one, two, three, four: Computed<Int>

    var values: [Int] { [one.value, two.value, three.value, four.value] }
  }

  private typealias Outcome = (time: Double, before: [Int], after: [Int])

  static func run(_ report: Report) {
    _ = change(layers: 1000)
    for layers in [1000, 2500] {
      var total = 0.0
      let graphs = report.isQuick ? 1 : 10
      for _ in 0..<graphs {
        let outcome = change(layers: layers)
        check(report, layers, outcome, [-3, -6, -2, 2], [-2, -4, 2, 3])
        total += outcome.time
      }
      report.add(
        Row(
          name: "cellx\(layers)", unit: .milliseconds, signals: total * 10 / Double(graphs),
          operations: 10))
    }
    check(report, 5000, change(layers: 5000), [2, 4, -1, -6], [-2, 1, -4, -4])
  }

  private static func check(
    _ report: Report, _ layers: Int, _ outcome: Outcome, _ before: [Int], _ after: [Int]
  ) {
    report.expect(
      outcome.before == before && outcome.after == after,
      "cellx\(layers): \(outcome.before) and then \(outcome.after)")
  }

  /// Builds a graph, changes it, and measures the change alone.
  private static func change(layers: Int) -> Outcome {
    let one = Signal(1)
    let two = Signal(2)
    let three = Signal(3)
    let four = Signal(4)
    var last: Layer?
    let scope = EffectScope {
      var end = makeLayer(one, two, three, four)
      for _ in 1..<layers { end = makeLayer(end.one, end.two, end.three, end.four) }
      last = end
    }
    guard let end = last else { return (0, [], []) }
    let start = threadTime()
    let before = end.values
    batch {
      one.value = 4
      two.value = 3
      three.value = 2
      four.value = 1
    }
    let after = end.values
    let time = threadTime() - start
    scope.cancel()
    return (time, before, after)
  }

  private static func makeLayer<Source: Readable<Int>>(
    _ one: Source, _ two: Source, _ three: Source, _ four: Source
  ) -> Layer {
    let layer = Layer(
      one: Computed { two.value }, two: Computed { one.value - three.value },
      three: Computed { two.value + four.value }, four: Computed { three.value })
    for computed in [layer.one, layer.two, layer.three, layer.four] {
      _ = Effect { use(computed.value) }
    }
    return layer
  }
}
