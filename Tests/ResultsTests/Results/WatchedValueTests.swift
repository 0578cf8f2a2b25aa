import Signals
import SignalsTesting
import TestSupport
import Testing

/// Results of an equality on an indexed property are notified of the objects with that value only.
@Suite struct `Results of one indexed value` {
  let store = Store()

  @Test func `aren't tested again for a write to an object with another value`() throws {
    let parcels = try store.addParcels(8, sections: 4)
    var tests: [Int] = []
    let results = (0..<4).map { section in
      // Before the equality, so that it would be evaluated for each object that is noticed.
      store.results(Parcel.self).where {
        tests.append(section)
        return $0.label != "x"
      }.where(\.section, equals: "s\(section)")
    }
    let tokens = results.map { $0.observe { _ in } }
    tests = []
    parcels[1].label = "x"
    #expect(tests == [1])
    parcels[2].section = "s3"
    #expect(tests == [1, 3])
    #expect(results.map(\.count) == [2, 1, 1, 3])
    tokens.forEach { $0.cancel() }
  }

  @Test func `meet the classes and the objects that come later`() throws {
    let first = Parcel()
    first.section = "a"
    try store.add(first)
    let results = store.results(Parcel.self).where(\.section, equals: "a")
    var rows: [Parcel] = []
    let token = results.observe { $0.apply(to: &rows) }
    rows = Array(results)
    let express = Express()
    (express.number, express.section) = (1, "a")
    try store.add(express)
    #expect(rows == [first, express])
    express.section = "b"
    #expect(rows == [first])
    express.section = "a"
    try store.delete(first)
    #expect(rows == [express])
    try store.undo()
    #expect(rows == [first, express])
    token.cancel()
  }

  @Test func `release an object that has left the value and is then deleted`() throws {
    let store = Store(undoLimit: 0)
    var parcel: Parcel? = Parcel()
    parcel?.section = "s1"
    if let parcel { try store.add(parcel) }
    let results = store.results(Parcel.self).where(\.section, equals: "s1")
    #expect(results.count == 1)
    weak let last = parcel
    parcel?.section = "s2"
    if let parcel { try store.delete(parcel) }
    parcel = nil
    #expect(last == nil)
    #expect(results.count == 0)
  }

  @Test func `forget what a condition reads elsewhere once an object has left the value`() throws {
    let store = Store(undoLimit: 0)
    let other = Parcel(), parcel = Parcel()
    (other.number, other.section) = (1, "other")
    (parcel.section, parcel.next) = ("a", other)
    try store.add(parcel)
    var tests = 0
    let results = store.results(Parcel.self).where {
      tests += 1
      return $0.next?.label == "x"
    }.where(\.section, equals: "a")
    let token = results.observe { _ in }
    parcel.section = "b"
    tests = 0
    other.label = "x"
    #expect(tests == 0)
    parcel.section = "a"
    #expect(Array(results) == [parcel])
    token.cancel()
  }

  final class Freight: Parcel {}

  final class Rush: Parcel {
    @Field var isPriority = false

    override var section: String {
      get { isPriority ? "rush" : super.section }
      set { super.section = newValue }
    }
  }

  @Test func `of a subclass don't meet another subclass`() throws {
    let express = Express()
    express.section = "a"
    try store.add(express)
    let results = store.results(Express.self).where(\.section, equals: "a")
    #expect(results.count == 1)
    let freight = Freight()
    (freight.number, freight.section) = (1, "a")
    try store.add(freight)
    freight.label = "x"
    #expect(Array(results) == [express])
  }

  @Test func `meet a later subclass that overrides the property`() throws {
    try store.add(Parcel())
    let results = store.results(Parcel.self).where(\.section, equals: "rush")
    #expect(results.isEmpty)
    let rush = Rush()
    (rush.number, rush.isPriority) = (1, true)
    try store.add(rush)
    #expect(Array(results) == [rush])
    rush.isPriority = false
    #expect(results.isEmpty)
  }

  @Test(arguments: [false, true], [false, true])
  func `forget the row of an object that has left the value and is deleted in one transaction`(
    isSorted: Bool, isObserved: Bool
  ) throws {
    let parcels = try store.addParcels(6, sections: 4)
    let all = store.results(Parcel.self).where(\.section, equals: "s1")
    let results = isSorted ? all.sorted(by: \.label, order: .descending) : all
    #expect(Array(results) == [parcels[1], parcels[5]])
    let token = isObserved ? results.observe { _ in } : nil
    try store.write {
      parcels[1].section = "b"
      try store.delete(parcels[1])
    }
    let next = Parcel()
    (next.number, next.section, next.label) = (100, "b", "z")
    try store.add(next)
    #expect(!results.contains(next))
    next.section = "s1"
    #expect(Array(results) == (isSorted ? [next, parcels[5]] : [parcels[5], next]))
    try store.undo()
    try store.undo()
    try store.undo()
    #expect(Array(results) == [parcels[1], parcels[5]])
    token?.cancel()
  }

  final class Probe: Object {
    @Indexed var rate = 0.0
  }

  @Test func `of a value that doesn't equal itself leave nothing behind`() throws {
    let probe = Probe()
    try store.add(probe)
    do {
      let results = store.results(Probe.self).where(\.rate, equals: .nan)
      #expect(results.isEmpty)
      probe.rate = .nan
      #expect(results.isEmpty)
    }
    #expect(store.brokenInvariants() == [])
    probe.rate = 1
    #expect(store.results(Probe.self).where(\.rate, equals: 1).count == 1)
  }

  @Test func `evaluate conditions in their order, so that one can guard the next`() throws {
    let parcels = try store.addParcels(3, sections: 4)
    parcels[0].next = parcels[1]
    parcels[1].label = "x"
    let results = store.results(Parcel.self).where { $0.next != nil }
      .where(\.next!.label, equals: "x")
    #expect(Array(results) == [parcels[0]])
    parcels[0].next = nil
    #expect(results.isEmpty)
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func `agree with looking at everything through any history`(seed: UInt64) throws {
    struct Stop: Error {}
    var random = SeededRandom(seed: seed)
    var parcels = try store.addParcels(40, sections: 4)
    let values = ["s0", "s1", "s2", "s3", ""]
    func query(_ value: String, _ kind: Int) -> Results<Parcel> {
      let all = store.results(Parcel.self).where(\.section, equals: value)
      return switch kind {
      case 0: all
      case 1: all.sorted(by: \.label).where { $0.next?.label != "l1" }
      case 2: all.sorted(by: \.weight, order: .descending).limit(3)
      default: all.where { $0 is Express }
      }
    }
    let live = values.flatMap { value in (0..<4).map { (value, $0, query(value, $0)) } }
    var mirrors = live.map { Array($0.2) }
    var tokens: [any Cancellable] = []
    func observe(_ index: Int) {
      mirrors[index] = Array(live[index].2)
      tokens.append(live[index].2.observe { $0.apply(to: &mirrors[index]) })
    }
    var observed: [Int] = []
    for index in live.indices where Bool.random(using: &random) {
      observed.append(index)
      observe(index)
    }
    for step in 0..<runLength(usually: 120) {
      let fails = Int.random(in: 0..<6, using: &random) == 0
      try? store.write {
        for _ in 0..<Int.random(in: 1..<5, using: &random) {
          let parcel = parcels[Int.random(in: 0..<parcels.count, using: &random)]
          switch Int.random(in: 0..<8, using: &random) {
          case 0: if parcel.store != nil { try store.delete(parcel) }
          case 1: if parcel.store == nil { try store.add(parcel) }
          case 2: parcel.label = "l\(Int.random(in: 0..<3, using: &random))"
          case 3: parcel.weight = Int.random(in: 0..<3, using: &random)
          case 4:
            parcel.next = parcels.randomElement(using: &random).flatMap {
              $0.store == nil ? nil : $0
            }
          case 5: _ = live.randomElement(using: &random)?.2.count
          default: parcel.section = values.randomElement(using: &random) ?? ""
          }
        }
        if fails { throw Stop() }
      }
      if Int.random(in: 0..<5, using: &random) == 0 { _ = try? store.undo() }
      if Int.random(in: 0..<20, using: &random) == 0 {
        let express = Express()
        (express.number, express.section) = (1000 + step, "s1")
        try store.add(express)
        parcels.append(express)
      }
      if Bool.random(using: &random) { continue }
      for (value, kind, results) in live {
        let same = Array(results) == Array(query(value, kind).where { _ in true })
        #expect(same, "seed \(seed), step \(step), \(value), \(kind)")
      }
      for index in observed {
        let same = mirrors[index] == Array(live[index].2)
        #expect(same, "seed \(seed), step \(step), observer of \(live[index].0)")
      }
    }
    tokens.forEach { $0.cancel() }
  }
}
