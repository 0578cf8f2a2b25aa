import OpenCombine
import Probes
import Signals

/// What a node of each kind allocates, with its closure and edges, on the average of ten thousand.
enum MemorySuite {
  private static let count = 10_000

  static func run(_ report: Report) {
    guard probe_allocated_bytes() > 0 else {
      complain("memory: this C library can't tell what is allocated")
      return
    }
    // A thread's own memory, and buffers that grow, are there before anything is measured.
    Effect { use(Signal(0).value) }.cancel()
    nodes(report)
    tree(report)
  }

  private static func nodes(_ report: Report) {
    let (signals, ofSignals) = bytes { Signal($0) }
    let (subjects, ofSubjects) = bytes { OpenCombine.CurrentValueSubject<Int, Never>($0) }
    let (values, ofValues) = bytes { ObservableValue($0) }
    report.add(
      Row(
        name: "signal", unit: .bytes, signals: ofSignals,
        peers: [.opencombine: ofSubjects, .observation: ofValues]))

    let (computeds, ofComputeds) = bytes { index in Computed { signals[index].value + 1 } }
    report.add(Row(name: "computed, never read", unit: .bytes, signals: ofComputeds))

    let sum = Counter()
    let (onSignals, ofOnSignals) = bytes { index in Effect { sum.count &+= signals[index].value } }
    let (sinks, ofSinks) = bytes { index in subjects[index].sink { sum.count &+= $0 } }
    let engine = ObservationEngine()
    let (_, ofTracking) = bytes { index in
      engine.makeEffect(on: values, index..<index + 1, to: sum)
    }
    report.add(
      Row(
        name: "effect on a signal", unit: .bytes, signals: ofOnSignals,
        peers: [.opencombine: ofSinks, .observation: ofTracking]))

    let (effects, ofEffects) = bytes { index in Effect { sum.count &+= computeds[index].value } }
    report.add(
      Row(name: "effect on a computed, and its first value", unit: .bytes, signals: ofEffects))
    let total = 4 * (count * (count - 1) / 2) + count
    report.expect(sum.count == total, "the effects added up \(sum.count), not \(total)")
    use((onSignals, sinks, effects))
  }

  /// A hundred chains of a hundred computeds, an effect on each of them, and one write.
  private static func tree(_ report: Report) {
    let source = Signal(1)
    let sum = Counter()
    var kept: [Effect] = []
    kept.reserveCapacity(count)
    let before = probe_allocated_bytes()
    for _ in 0..<100 {
      var last = Computed { source.value + 1 }
      for index in 0..<100 {
        let previous = last
        if index > 0 { last = Computed { previous.value + 1 } }
        let end = last
        kept.append(Effect { sum.count &+= end.value })
      }
    }
    sum.count = 0
    source.value += 1
    let bytes = Double(probe_allocated_bytes() - before)
    let total = 100 * (100 * 2 + 100 * 101 / 2)
    report.expect(sum.count == total, "the tree's effects added up \(sum.count), not \(total)")
    report.add(
      Row(
        name: "tree of 100 x 100 computeds and effects", unit: .bytes, signals: bytes,
        note: "\(digits(bytes / 20_000)) B per node"))
    use(kept)
  }

  /// Ten thousand of what `make` makes, and the bytes of one; those of the array don't count.
  private static func bytes<Made>(_ make: (Int) -> Made) -> (made: [Made], each: Double) {
    var made: [Made] = []
    made.reserveCapacity(count)
    let before = probe_allocated_bytes()
    for index in 0..<count { made.append(make(index)) }
    return (made, Double(probe_allocated_bytes() - before) / Double(count))
  }
}
