import OpenCombine

/// The graphs of the kairo suite that OpenCombine can build with the same results: those without a
/// value derived of several.
enum KairoPeers {
  static func avoidable(_ report: Report) -> () -> Void {
    let head = OpenCombine.CurrentValueSubject<Int, Never>(0)
    let runs = Counter()
    let last = Counter()
    let token = head.map { $0 }
      .map { value in
        use(value)
        return 0
      }
      .removeDuplicates()
      .map { value in
        busy()
        return value + 1
      }
      .map { $0 + 2 }
      .map { $0 + 3 }
      .sink {
        last.count = $0
        busy()
        runs.count += 1
      }
    return {
      withExtendedLifetime(token) {
        head.send(1)
        for index in 0..<1000 {
          head.send(index)
          report.expect(last.count == 6, "avoidablePropagation, OpenCombine: \(last.count)")
        }
        report.expect(runs.count == 1, "avoidablePropagation, OpenCombine: \(runs.count) runs")
      }
    }
  }

  static func broad(_ report: Report) -> () -> Void {
    let engine = OpenCombineEngine()
    let head = engine.source(0)
    let sum = Counter()
    for _ in 0..<50 { engine.makeChain(on: head, length: 2, to: sum) }
    return {
      engine.write(1, to: head)
      for index in 0..<50 {
        sum.count = 0
        engine.write(index, to: head)
        report.expect(sum.count == 50 * (index + 2), "broadPropagation, OpenCombine: \(sum.count)")
      }
    }
  }

  static func deep(_ report: Report) -> () -> Void {
    let engine = OpenCombineEngine()
    let head = engine.source(0)
    let sum = Counter()
    engine.makeChain(on: head, length: 50, to: sum)
    return {
      engine.write(1, to: head)
      for index in 0..<50 {
        sum.count = 0
        engine.write(index, to: head)
        report.expect(sum.count == index + 50, "deepPropagation, OpenCombine: \(sum.count)")
      }
    }
  }
}
