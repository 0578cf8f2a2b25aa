import Signals
import SignalsTesting
import TestSupport
import Testing

class Parcel: Object {
  @PrimaryKey var number = 0
  @Indexed var section = ""
  @Indexed var weight: Int?
  @Field var label = ""
  @Link var next: Parcel?
  /// Reads the same property, and only that, but is another.
  var initial: String {
    get { String(section.prefix(1)) }
    set { section = newValue }
  }
}

final class Express: Parcel {}

extension Store {
  /// Adds parcels with the numbers from 0 up, each third one an express, in sections by turns.
  @discardableResult
  func addParcels(_ count: Int, sections: Int = 10) throws -> [Parcel] {
    let parcels = (0..<count).map { number in
      let parcel = number % 3 == 0 ? Express() : Parcel()
      parcel.number = number
      parcel.section = "s\(number % sections)"
      return parcel
    }
    try write { try add(parcels) }
    return parcels
  }
}

@Suite struct `Indexes` {
  let store = Store()

  /// The results of a condition, and how many objects its first read looked at.
  func looked<Element: Parcel>(_ results: Results<Element>) -> (rows: [Element], looked: Int) {
    var looked = 0
    let counting = results.where { _ in
      looked += 1
      return true
    }
    return (Array(counting), looked)
  }

  @Test func `an indexed value is found without looking at other objects`() throws {
    let parcels = try store.addParcels(1000)
    let (rows, looked) = looked(store.results(Parcel.self).where(\.section, equals: "s7"))
    #expect(rows == parcels.filter { $0.section == "s7" })
    #expect(looked == 100)
  }

  @Test func `so is a primary key, and nil, and what no object has`() throws {
    let parcels = try store.addParcels(1000)
    parcels[5].weight = 4
    let all = store.results(Parcel.self)
    #expect(looked(all.where(\.number, equals: 500)) == ([parcels[500]], 1))
    #expect(looked(all.where(\.weight, equals: 4)) == ([parcels[5]], 1))
    #expect(looked(all.where(\.weight, equals: nil)).looked == 999)
    #expect(looked(all.where(\.section, equals: "none")) == ([], 0))
    #expect(looked(store.results(Express.self).where(\.weight, equals: 4)).rows == [])
  }

  @Test func `several values are found together, each once`() throws {
    let parcels = try store.addParcels(1000)
    let all = store.results(Parcel.self)
    let (rows, looked) = looked(all.where(\.section, in: ["s7", "s3", "s7", "none"]))
    #expect(rows == parcels.filter { ["s3", "s7"].contains($0.section) })
    #expect(looked == 200)
    #expect(self.looked(all.where(\.number, in: [999, 4])) == ([parcels[4], parcels[999]], 2))
    #expect(self.looked(all.where(\.section, in: [])) == ([], 0))
    parcels[1].weight = 1
    #expect(all.where(\.weight, in: [nil, 2]).count == 999)
  }

  @Test func `an object that moves between watched values stays`() throws {
    let parcels = try store.addParcels(6, sections: 6)
    let results = store.results(Parcel.self).where(\.section, in: ["s1", "s2"])
    var changes: [CollectionChange<Parcel>] = []
    let token = results.observe { changes.append($0) }
    #expect(Array(results) == [parcels[1], parcels[2]])
    parcels[1].section = "s2"
    #expect(Array(results) == [parcels[1], parcels[2]])
    parcels[5].section = "s1"
    parcels[2].section = "s5"
    #expect(Array(results) == [parcels[1], parcels[5]])
    #expect(
      changes.map(\.insertions) == [[], [1], []] || changes.map(\.insertions) == [[], [2], []])
    #expect(changes.map(\.deletions) == [[], [], [1]])
    token.cancel()
  }

  @Test func `a computed property that reads an indexed one is not taken for it`() throws {
    let parcels = try store.addParcels(20)
    for parcel in parcels { parcel.section = parcel.number < 5 ? "a" : "ab" }
    let (rows, looked) = looked(store.results(Parcel.self).where(\.initial, equals: "a"))
    #expect(rows == parcels)
    #expect(looked == 20)
  }

  @Test func `other properties, and paths through links, are compared one by one`() throws {
    let parcels = try store.addParcels(20)
    parcels[3].label = "x"
    parcels[4].next = parcels[3]
    #expect(Array(store.results(Parcel.self).where(\.label, equals: "x")) == [parcels[3]])
    #expect(Array(store.results(Parcel.self).where(\.next, equals: parcels[3])) == [parcels[4]])
    #expect(
      Array(store.results(Parcel.self).where(\.next?.section, equals: "s3")) == [parcels[4]])
  }

  final class Crate: Object {
    @Indexed var section = ""
    @Link var next: Crate?
    @Field var label = ""
    var nextLabel: String {
      get { next!.label }
      set { next!.label = newValue }
    }
  }

  @Test func `a sort key is read of those only that satisfy all conditions`() throws {
    let crates = (0..<9).map { _ in Crate() }
    crates[1].next = crates[0]
    try store.write { try store.add(crates) }
    let results = store.results(Crate.self).where(\.section, equals: "").where { $0.next != nil }
      .sorted(by: \.nextLabel)
    #expect(Array(results) == [crates[1]])
    #expect(results.explain().hasPrefix("1 row"))
  }

  @Test func `the rows are live`() throws {
    let results = store.results(Parcel.self).where(\.section, equals: "s1")
    #expect(results.isEmpty)
    let parcels = try store.addParcels(30)
    var changes: [CollectionChange<Parcel>] = []
    let token = results.observe { changes.append($0) }
    #expect(results.map(\.number) == [1, 11, 21])
    parcels[2].section = "s1"
    #expect(results.map(\.number) == [1, 2, 11, 21])
    parcels[11].section = ""
    try store.delete(parcels[1])
    #expect(results.map(\.number) == [2, 21])
    #expect(changes.map(\.insertions) == [[1], [], []])
    #expect(changes.map(\.deletions) == [[], [2], [0]])
    token.cancel()
  }

  @Test func `a sorted result can be asked for a value`() throws {
    try store.addParcels(40)
    let results = store.results(Parcel.self).sorted(by: \.number, order: .descending)
      .where(\.section, equals: "s4").sorted(by: \.label)
    #expect(results.map(\.number) == [34, 24, 14, 4])
  }

  @Test func `in a transaction it shows what was written so far; a rollback takes it back`() throws
  {
    struct Stop: Error {}
    let parcels = try store.addParcels(5)
    #expect(throws: Stop.self) {
      try store.write {
        parcels[0].section = "new"
        #expect(Array(store.results(Parcel.self).where(\.section, equals: "new")) == [parcels[0]])
        throw Stop()
      }
    }
    #expect(store.results(Parcel.self).where(\.section, equals: "new").isEmpty)
  }

  @Test(arguments: 0..<4) func `an index agrees with looking at everything`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let parcels = try store.addParcels(60, sections: 4)
    let live = (0..<4).map { store.results(Parcel.self).where(\.section, equals: "s\($0)") }
    for step in 0..<runLength(usually: 500) {
      try store.write {
        for _ in 0..<Int.random(in: 0..<4, using: &random) {
          let index = Int.random(in: 0..<parcels.count, using: &random)
          switch Int.random(in: 0..<4, using: &random) {
          case 0: try store.delete(parcels[index])
          case 1: if parcels[index].store == nil { try store.add(parcels[index]) }
          default: parcels[index].section = "s\(Int.random(in: 0..<4, using: &random))"
          }
        }
      }
      for section in 0..<4 {
        let expected = Set(parcels.filter { $0.store != nil && $0.section == "s\(section)" })
        let fresh = store.results(Parcel.self).where(\.section, equals: "s\(section)")
        #expect(Set(fresh) == expected, "seed \(seed), step \(step)")
        #expect(Array(live[section]) == Array(fresh), "seed \(seed), step \(step)")
      }
    }
  }
}
