import Observation
import OpenCombine

/// The graphs of the kairo suite that a peer can build with the same results and as many runs.
///
/// OpenCombine follows one source; Observation computes derived values anew each time, so what lives
/// from a cut-off, or would compute a value exponentially often, has no equivalent.
enum KairoPeers {
  static func avoidable(_ report: Report) -> () -> Void {
    let head = CurrentValueSubject<Int, Never>(0)
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

  static func broad<E: Engine>(_ engine: E, _ report: Report) -> () -> Void {
    let head = engine.source(0)
    let sum = Counter()
    for _ in 0..<50 { engine.makeChain(on: head, length: 2, to: sum) }
    return {
      engine.write(1, to: head)
      for index in 0..<50 {
        sum.count = 0
        engine.write(index, to: head)
        report.expect(sum.count == 50 * (index + 2), "broadPropagation, \(E.self): \(sum.count)")
      }
    }
  }

  static func deep<E: Engine>(_ engine: E, _ report: Report) -> () -> Void {
    let head = engine.source(0)
    let sum = Counter()
    engine.makeChain(on: head, length: 50, to: sum)
    return {
      engine.write(1, to: head)
      for index in 0..<50 {
        sum.count = 0
        engine.write(index, to: head)
        report.expect(sum.count == index + 50, "deepPropagation, \(E.self): \(sum.count)")
      }
    }
  }

  static func diamond(_ report: Report) -> () -> Void {
    observe("diamond", report, writes: 500, expected: { ($0 + 1) * 5 }) { head in
      let branches = (0..<5).map { _ in { head.value + 1 } }
      return { branches.map { $0() }.reduce(0, +) }
    }
  }

  static func repeated(_ report: Report) -> () -> Void {
    observe("repeatedObservers", report, writes: 100, expected: { $0 * 30 }) { head in
      {
        var sum = 0
        for _ in 0..<30 { sum += head.value }
        return sum
      }
    }
  }

  static func triangle(_ report: Report) -> () -> Void {
    observe("triangle", report, writes: 100, expected: { $0 * 10 + 45 }) { head in
      var list = [{ head.value }]
      for index in 1..<10 {
        let previous = list[index - 1]
        list.append { previous() + 1 }
      }
      let links = list
      return { links.map { $0() }.reduce(0, +) }
    }
  }

  static func unstable(_ report: Report) -> () -> Void {
    observe("unstable", report, writes: 100, expected: { $0 % 2 != 0 ? $0 * 40 : $0 * -20 }) {
      head in
      let double = { head.value * 2 }
      let inverse = { -head.value }
      return {
        var sum = 0
        for _ in 0..<20 { sum += head.value % 2 != 0 ? double() : inverse() }
        return sum
      }
    }
  }

  /// An effect of Observation on what `derive` makes of a source.
  private static func observe(
    _ name: String, _ report: Report, writes: Int,
    expected: @escaping (Int) -> Int, derive: (ObservableValue) -> () -> Int
  ) -> () -> Void {
    let engine = ObservationEngine()
    let head = engine.source(0)
    let derived = derive(head)
    let last = Counter()
    let runs = Counter()
    engine.makeEffect {
      last.count = derived()
      runs.count += 1
    }
    return {
      engine.write(1, to: head)
      runs.count = 0
      for index in 0..<writes {
        engine.write(index, to: head)
        report.expect(last.count == expected(index), "\(name), Observation: \(last.count)")
      }
      report.expect(runs.count == writes, "\(name), Observation: \(runs.count) runs")
    }
  }
}
