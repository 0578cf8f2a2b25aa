/// One write through chains of computeds, an effect at the end of each: alien-signals' own measure.
enum PropagateSuite {
  static func run(_ report: Report) {
    for width in [1, 10, 100] {
      for height in [1, 10, 100] {
        report.add(
          Row(
            name: "\(width) x \(height)", unit: .nanoseconds,
            signals: propagate(SignalsEngine(), report, width, height),
            peers: [
              .opencombine: propagate(OpenCombineEngine(), report, width, height)
            ]))
      }
    }
  }

  private static func propagate<E: DerivingEngine>(
    _ engine: E, _ report: Report, _ width: Int, _ height: Int
  ) -> Double {
    let source = engine.source(1)
    let sum = Counter()
    engine.build {
      for _ in 0..<width { engine.makeChain(on: source, length: height, to: sum) }
    }
    let time = report.perOperation { count in
      for _ in 0..<count { engine.increment(source) }
    }
    sum.count = 0
    engine.increment(source)
    let expected = width * (engine.read(source) + height)
    report.expect(
      sum.count == expected, "\(E.self) \(width) x \(height): \(sum.count), not \(expected)")
    engine.dispose()
    return time
  }
}
