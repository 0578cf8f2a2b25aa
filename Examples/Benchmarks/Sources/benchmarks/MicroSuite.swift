import Observation
import OpenCombine
import Signals

/// Single operations, in nanoseconds.
enum MicroSuite {
  static func run(_ report: Report) {
    report.add(
      Row(
        name: "read, untracked", unit: .nanoseconds, signals: reads(SignalsEngine(), report),
        peers: [
          .opencombine: reads(OpenCombineEngine(), report),
          .observation: reads(ObservationEngine(), report),
        ]))
    report.add(
      Row(
        name: "read, tracked, of the same signal", unit: .nanoseconds,
        signals: trackedReads(report), peers: [.observation: observedReads(report)]))
    report.add(
      Row(
        name: "read, tracked, in an effect on 1000 signals", unit: .nanoseconds,
        signals: readsInEffect(SignalsEngine(), report),
        peers: [.observation: readsInEffect(ObservationEngine(), report)]))
    for observers in [0, 1, 10, 1000] {
      report.add(
        Row(
          name: "write, \(observers) effect\(observers == 1 ? "" : "s")", unit: .nanoseconds,
          signals: writes(SignalsEngine(), report, observers),
          peers: [
            .opencombine: writes(OpenCombineEngine(), report, observers),
            .observation: writes(ObservationEngine(), report, observers),
          ]))
    }
    report.add(
      Row(
        name: "write, a chain of 10 computeds, 1 effect", unit: .nanoseconds,
        signals: chain(SignalsEngine(), report),
        peers: [.opencombine: chain(OpenCombineEngine(), report)]))
    creations(report)
  }

  private static func reads<E: Engine>(_ engine: E, _ report: Report) -> Double {
    let source = engine.source(1)
    var sum = 0
    var reads = 0
    let time = report.perOperation { count in
      for _ in 0..<count {
        sum &+= engine.read(source)
        use(sum)
      }
      reads += count
    }
    report.expect(sum == reads, "\(E.self): \(reads) reads of 1 give \(sum)")
    return time
  }

  private static func trackedReads(_ report: Report) -> Double {
    let signal = Signal(1)
    let sum = Counter()
    var time = 0.0
    let effect = Effect {
      time = report.perOperation { count in
        for _ in 0..<count {
          sum.count &+= signal.value
          use(sum)
        }
      }
    }
    effect.cancel()
    return time
  }

  private static func observedReads(_ report: Report) -> Double {
    let source = ObservableValue(1)
    let sum = Counter()
    return withObservationTracking {
      report.perOperation { count in for _ in 0..<count { sum.count &+= source.value } }
    } onChange: {
    }
  }

  private static func readsInEffect<E: Engine>(_ engine: E, _ report: Report) -> Double {
    let sources = (0..<1000).map { engine.source($0) }
    let sum = Counter()
    engine.build { engine.makeEffect(on: sources, 0..<1000, to: sum) }
    var value = 0
    let time = report.perOperation { count in
      for _ in 0..<count {
        value += 1
        sum.count = 0
        engine.write(value, to: sources[0])
      }
    }
    report.expect(sum.count == 499_500 + value, "\(E.self): 1000 signals give \(sum.count)")
    engine.dispose()
    return time / 1000
  }

  private static func writes<E: Engine>(
    _ engine: E, _ report: Report, _ observers: Int
  ) -> Double {
    let source = engine.source(0)
    let sum = Counter()
    engine.build { for _ in 0..<observers { engine.makeEffect(on: [source], 0..<1, to: sum) } }
    var value = 0
    let time = report.perOperation { count in
      for _ in 0..<count {
        value += 1
        engine.write(value, to: source)
      }
    }
    let expected = observers &* (value &* (value &+ 1) / 2)
    report.expect(
      sum.count == expected,
      "\(E.self): \(observers) effects added up \(sum.count), not \(expected)")
    engine.dispose()
    return time
  }

  private static func chain<E: DerivingEngine>(_ engine: E, _ report: Report) -> Double {
    let source = engine.source(0)
    let last = Counter()
    engine.build { engine.makeChain(on: source, length: 10, to: last) }
    var value = 0
    let time = report.perOperation { count in
      for _ in 0..<count {
        value += 1
        last.count = 0
        engine.write(value, to: source)
      }
    }
    report.expect(last.count == value + 10, "\(E.self): the chain ends with \(last.count)")
    engine.dispose()
    return time
  }

  private static func creations(_ report: Report) {
    report.add(
      Row(
        name: "create and release a signal", unit: .nanoseconds,
        signals: report.perOperation { count in for index in 0..<count { use(Signal(index)) } },
        peers: [
          .opencombine: report.perOperation { count in
            for index in 0..<count { use(OpenCombine.CurrentValueSubject<Int, Never>(index)) }
          },
          .observation: report.perOperation { count in
            for index in 0..<count { use(ObservableValue(index)) }
          },
        ]))
    let signal = Signal(1)
    report.add(
      Row(
        name: "create and release a computed", unit: .nanoseconds,
        signals: report.perOperation { count in
          for index in 0..<count { use(Computed { signal.value &+ index }) }
        }))
    report.add(
      Row(
        name: "create, read and release a computed", unit: .nanoseconds,
        signals: report.perOperation { count in
          for index in 0..<count { use(Computed { signal.value &+ index }.value) }
        }))
    let subject = OpenCombine.CurrentValueSubject<Int, Never>(1)
    let sum = Counter()
    // Observation has no way to stop.
    report.add(
      Row(
        name: "create and cancel an effect", unit: .nanoseconds,
        signals: report.perOperation { count in
          for _ in 0..<count { Effect { sum.count &+= signal.value }.cancel() }
        },
        peers: [
          .opencombine: report.perOperation { count in
            for _ in 0..<count { subject.sink { sum.count &+= $0 }.cancel() }
          }
        ]))
  }
}
