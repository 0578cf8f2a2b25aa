import OpenCombine
import Signals

/// Events through pipelines, in nanoseconds an event.
///
/// OpenCombine 0.14.0 has neither `merge` nor `combineLatest`.
enum PublishersSuite {
  private typealias Ours = Signals.Subject<Int, Never>
  private typealias Theirs = PassthroughSubject<Int, Never>

  static func run(_ report: Report) {
    linear(report)
    combining(report)
    nesting(report)
    sharing(report)
  }

  private static func linear(_ report: Report) {
    add("a subject, 1 subscriber", report) { a, _, sum in
      a.sink { sum.count &+= $0 }
    } theirs: { a, _, sum in
      a.sink { sum.count &+= $0 }
    }
    add("10 maps", report) { a, _, sum in
      a.map { $0 &+ 1 }.map { $0 &- 1 }.map { $0 &+ 1 }.map { $0 &- 1 }.map { $0 &+ 1 }
        .map { $0 &- 1 }.map { $0 &+ 1 }.map { $0 &- 1 }.map { $0 &+ 1 }.map { $0 &- 1 }
        .sink { sum.count &+= $0 }
    } theirs: { a, _, sum in
      a.map { $0 &+ 1 }.map { $0 &- 1 }.map { $0 &+ 1 }.map { $0 &- 1 }.map { $0 &+ 1 }
        .map { $0 &- 1 }.map { $0 &+ 1 }.map { $0 &- 1 }.map { $0 &+ 1 }.map { $0 &- 1 }
        .sink { sum.count &+= $0 }
    }
    add("map, filter, scan, prefix", report) { a, _, sum in
      a.map { $0 &+ 1 }.filter { $0 > 0 }.scan(0) { (_: Int, value: Int) in value &- 1 }
        .prefix(.max).sink { sum.count &+= $0 }
    } theirs: { a, _, sum in
      a.map { $0 &+ 1 }.filter { $0 > 0 }.scan(0) { (_: Int, value: Int) in value &- 1 }
        .prefix(.max).sink { sum.count &+= $0 }
    }
  }

  private static func combining(_ report: Report) {
    add("merge of 2", report) { a, b, sum in a.merge(with: b).sink { sum.count &+= $0 } }
    add("Merge of 2 in an array", report) { a, b, sum in Merge([a, b]).sink { sum.count &+= $0 } }
    add("combineLatest of 2", report) { a, b, sum in
      let token = a.combineLatest(b).sink { sum.count &+= $0.0 }
      b.send(1)
      return token
    }
    add("combineLatest of 3", report) { a, b, sum in
      let token = a.combineLatest(b, Signals.Just(1)).sink { sum.count &+= $0.0 }
      b.send(1)
      return token
    }
    add("zip of 2, a pair", report, sendsBoth: true) { a, b, sum in
      a.zip(b).sink { sum.count &+= $0.0 }
    } theirs: { a, b, sum in
      a.zip(b).sink { sum.count &+= $0.0 }
    }
  }

  private static func nesting(_ report: Report) {
    add("flatMap, a Just for each value", report) { a, _, sum in
      a.flatMap { Signals.Just($0) }.sink { sum.count &+= $0 }
    } theirs: { a, _, sum in
      a.flatMap { OpenCombine.Just($0) }.sink { sum.count &+= $0 }
    }
    add("flatMap, the values of one inner subject", report) { a, _, sum in
      Signals.Just(a).flatMap { $0 }.sink { sum.count &+= $0 }
    } theirs: { a, _, sum in
      OpenCombine.Just(a).flatMap { $0 }.sink { sum.count &+= $0 }
    }
    add("switchToLatest, a Just for each value", report) { a, _, sum in
      a.map { Signals.Just($0) }.switchToLatest().sink { sum.count &+= $0 }
    } theirs: { a, _, sum in
      a.map { OpenCombine.Just($0) }.switchToLatest().sink { sum.count &+= $0 }
    }
    add("switchToLatest, the values of one inner subject", report) { a, _, sum in
      Signals.Just(a).switchToLatest().sink { sum.count &+= $0 }
    } theirs: { a, _, sum in
      OpenCombine.Just(a).switchToLatest().sink { sum.count &+= $0 }
    }
    add("tryMap and catch, without a failure", report) { a, _, sum in
      a.tryMap { $0 }.catch { _ in Signals.Just(0) }.sink { sum.count &+= $0 }
    } theirs: { a, _, sum in
      a.tryMap { $0 }.catch { _ in OpenCombine.Just(0) }.sink { sum.count &+= $0 }
    }
    add("retry, without a failure", report) { a, _, sum in
      a.retry(3).sink { sum.count &+= $0 }
    } theirs: { a, _, sum in
      a.retry(3).sink { sum.count &+= $0 }
    }
  }

  private static func sharing(_ report: Report) {
    add("share, 1 subscriber", report) { a, _, sum in
      a.share().sink { sum.count &+= $0 }
    } theirs: { a, _, sum in
      a.share().sink { sum.count &+= $0 }
    }
    add("replay of 3, 1 subscriber", report) { a, _, sum in
      a.replay(3).sink { sum.count &+= $0 }
    }
    let sum = Counter()
    let (ours, theirs) = (Ours(), Theirs())
    report.add(
      Row(
        name: "subscribe to 3 operators and cancel", unit: .nanoseconds,
        signals: report.perOperation { count in
          for _ in 0..<count {
            ours.map { $0 &+ 1 }.filter { $0 > 0 }.prefix(9).sink { sum.count &+= $0 }.cancel()
          }
        },
        peers: [
          .opencombine: report.perOperation { count in
            for _ in 0..<count {
              theirs.map { $0 &+ 1 }.filter { $0 > 0 }.prefix(9).sink { sum.count &+= $0 }.cancel()
            }
          }
        ]))
  }

  /// Measures a pipeline that adds up the values of the first subject, beside the peer's.
  private static func add(
    _ name: String, _ report: Report, sendsBoth: Bool = false,
    ours: (Ours, Ours, Counter) -> any Signals.Cancellable,
    theirs: ((Theirs, Theirs, Counter) -> AnyCancellable)? = nil
  ) {
    let sum = Counter()
    let (a, b) = (Ours(), Ours())
    let token = ours(a, b, sum)
    let time = measure(name, report, sum) { count in
      for _ in 0..<count {
        a.send(1)
        if sendsBoth { b.send(1) }
      }
    }
    token.cancel()
    report.add(
      Row(
        name: name, unit: .nanoseconds, signals: time,
        peers: theirs.map { [.opencombine: peer(name, report, sendsBoth, $0)] } ?? [:]))
  }

  private static func peer(
    _ name: String, _ report: Report, _ sendsBoth: Bool,
    _ make: (Theirs, Theirs, Counter) -> AnyCancellable
  ) -> Double {
    let sum = Counter()
    let (a, b) = (Theirs(), Theirs())
    let token = make(a, b, sum)
    let time = measure("OpenCombine: \(name)", report, sum) { count in
      for _ in 0..<count {
        a.send(1)
        if sendsBoth { b.send(1) }
      }
    }
    token.cancel()
    return time
  }

  private static func measure(
    _ name: String, _ report: Report, _ sum: Counter, _ send: (Int) -> Void
  ) -> Double {
    var sent = 0
    // What was combined with a value that had been there counts too.
    let start = sum.count
    let time = report.perOperation { count in
      send(count)
      sent += count
    }
    report.expect(sum.count - start == sent, "\(name): \(sent) values add up to \(sum.count)")
    return time
  }
}
