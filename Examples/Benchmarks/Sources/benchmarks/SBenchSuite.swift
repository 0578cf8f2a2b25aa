/// Making, updating and dropping a hundred thousand effects, in Solid's proportions.
///
/// The smallest of ten times; what is measured is making and disposal, not making the sources.
enum SBenchSuite {
  /// A part: effects over sources, and writes to the first source.
  private struct Part {
    let name: String
    let effects: Int
    /// How many sources each effect reads, and how many effects read each source.
    var reads = 1
    var readers = 1
    let sources: Int
    var writes = 0

    /// The same with fewer writes, or effects.
    func hundredth(sources few: Int) -> Part {
      let updates = writes > 0
      return Part(
        name: name, effects: updates ? effects : effects / 100, reads: reads, readers: readers,
        sources: updates ? sources : few, writes: writes / 100)
    }
  }

  private static let count = 100_000

  private static let creations = [
    Part(name: "create 0to1", effects: count, reads: 0, sources: 0),
    Part(name: "create 1to1", effects: count, sources: count),
    Part(name: "create 2to1", effects: count / 2, reads: 2, sources: count),
    Part(name: "create 4to1", effects: count / 4, reads: 4, sources: count),
    Part(name: "create 1000to1", effects: count / 1000, reads: 1000, sources: count),
    Part(name: "create 1to2", effects: count, readers: 2, sources: count / 2),
    Part(name: "create 1to4", effects: count, readers: 4, sources: count / 4),
    Part(name: "create 1to8", effects: count, readers: 8, sources: count / 8),
    Part(name: "create 1to1000", effects: count, readers: 1000, sources: count / 1000),
  ]

  private static let updates = [
    Part(name: "update 1to1", effects: 1, sources: 1, writes: count * 4),
    Part(name: "update 2to1", effects: 1, reads: 2, sources: 2, writes: count * 2),
    Part(name: "update 4to1", effects: 1, reads: 4, sources: 4, writes: count),
    Part(name: "update 1000to1", effects: 1, reads: 1000, sources: 1000, writes: count / 250),
    Part(name: "update 1to2", effects: 2, readers: 2, sources: 1, writes: count),
    Part(name: "update 1to4", effects: 4, readers: 4, sources: 1, writes: count),
    Part(name: "update 1to1000", effects: 1000, readers: 1000, sources: 1, writes: count / 10),
  ]

  static func run(_ report: Report) {
    report.add(
      Row(
        name: "createSignals", unit: .milliseconds,
        signals: createSources(SignalsEngine.self, report), operations: count,
        peers: [
          .opencombine: createSources(OpenCombineEngine.self, report),
          .observation: createSources(ObservationEngine.self, report),
        ]))
    add("createComputations", creations, report)
    add("updateSignals", updates, report)
  }

  /// A row for each part, and one for their sum.
  private static func add(_ name: String, _ parts: [Part], _ report: Report) {
    var total = 0.0
    var observation = 0.0
    for part in parts {
      let time = measure(SignalsEngine.self, part, report, runs: 10)
      var peers = [Peer.observation: measurePeer(ObservationEngine.self, part, report)]
      // What reads several sources, or none, is nothing that OpenCombine has.
      if part.reads == 1 {
        peers[.opencombine] = measurePeer(OpenCombineEngine.self, part, report)
      }
      report.add(
        Row(
          name: part.name, unit: .milliseconds, signals: time,
          operations: part.writes > 0 ? part.writes : part.effects, peers: peers))
      total += time
      observation += peers[.observation] ?? 0
    }
    report.add(
      Row(
        name: name, unit: .milliseconds, signals: total,
        operations: parts.reduce(0) { $0 + ($1.writes > 0 ? $1.writes : $1.effects) },
        peers: [.observation: observation]))
  }

  /// A peer makes a hundredth of the writes, since some need milliseconds for each.
  private static func measurePeer<E: Engine>(
    _ type: E.Type, _ part: Part, _ report: Report
  ) -> Double {
    if part.writes == 0 { return measure(type, part, report, runs: 3) }
    return measure(type, part.hundredth(sources: part.sources), report, runs: 3) * 100
  }

  private static func measure<E: Engine>(
    _ type: E.Type, _ part: Part, _ report: Report, runs: Int
  ) -> Double {
    let small = part.hundredth(sources: report.isQuick ? part.sources / 100 : part.sources)
    if report.isQuick { return runOnce(type, small, report) * 100 }
    for _ in 0..<3 { _ = runOnce(type, small, report) }
    var best = Double.infinity
    for _ in 0..<runs { best = min(best, runOnce(type, part, report)) }
    return best
  }

  private static func runOnce<E: Engine>(
    _ type: E.Type, _ part: Part, _ report: Report
  ) -> Double {
    let engine = type.init()
    let sum = Counter()
    var start = 0.0
    var sources: [E.Source] = []
    engine.build {
      sources = makeSources(engine, part.sources)
      start = threadTime()
      for index in 0..<part.effects {
        let first = index / part.readers * part.reads
        engine.makeEffect(on: sources, first..<first + part.reads, to: sum)
      }
    }
    let made = sum.count
    let toSource = part.writes > 0 ? sources.first : nil
    if let source = toSource {
      for index in 0..<part.writes { engine.write(index, to: source) }
    }
    let last = toSource.map { engine.read($0) }
    sources = []
    engine.dispose()
    let time = threadTime() - start
    check(report, "\(E.self), \(part.name)", part, made: made, total: sum.count, last: last)
    return time
  }

  /// Every effect ran once when it was made, and then once a change: the first write is none.
  private static func check(
    _ report: Report, _ name: String, _ part: Part, made: Int, total: Int, last: Int?
  ) {
    var expected = 0
    for index in 0..<part.effects {
      let first = index / part.readers * part.reads
      expected += part.reads == 0 ? first : (first..<first + part.reads).reduce(0, +)
    }
    report.expect(made == expected, "\(name): the effects added up \(made), not \(expected)")
    guard let last else { return }
    report.expect(last == part.writes - 1, "\(name): the last value is \(last)")
    let others = part.reads * (part.reads - 1) / 2
    let changes = part.writes * (part.writes - 1) / 2 + others * (part.writes - 1)
    // OpenCombine publishes the first value once more, which adds 0.
    report.expect(
      total - made == changes * part.effects, "\(name): the updates added up \(total - made)")
  }

  private static func makeSources<E: Engine>(_ engine: E, _ count: Int) -> [E.Source] {
    let sources = (0..<count).map { engine.source($0) }
    var sum = 0
    for source in sources {
      sum &+= engine.read(source)
      sum &+= engine.read(source)
      sum &+= engine.read(source)
    }
    use(sum)
    return sources
  }

  private static func createSources<E: Engine>(_ type: E.Type, _ report: Report) -> Double {
    let count = report.isQuick ? Self.count / 100 : Self.count
    var best = Double.infinity
    for _ in 0..<(report.isQuick ? 1 : 10) {
      let engine = type.init()
      var sources = makeSources(engine, count)
      let time = timed {
        for index in 0..<count { sources[index] = engine.source(index) }
        sources = []
      }
      best = min(best, time)
    }
    return best * Double(Self.count) / Double(count)
  }
}
