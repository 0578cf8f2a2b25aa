import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite struct `Results explained` {
  let store = Store()

  @Test func `name the index, and what is watched`() throws {
    try store.addParcels(1000)
    let results = store.results(Parcel.self).where(\.section, equals: "s7").sorted(by: \.number)
    let explanation = """
      100 rows of Parcel, sorted by number
      found by an index, section = s7: 100 of 1000 objects
      """
    // An express may override the section.
    let watched = "notified of changes of objects that have the value, and of all of Express"
    #expect(results.explain() == explanation + "\n" + watched)
    #expect(
      store.results(Parcel.self).where(\.section, equals: "").explain() == """
        0 rows of Parcel, in the order of insertion
        found by an index, section = : 0 of 1000 objects
        \(watched)
        """)
  }

  @Test func `count the objects of the time when the rows were found`() throws {
    let parcels = try store.addParcels(4, sections: 1)
    let results = store.results(Parcel.self).where(\.section, equals: "s0")
    #expect(results.count == 4)
    for parcel in parcels.dropFirst() { try store.delete(parcel) }
    #expect(results.explain().contains("4 of 4 objects"))
    #expect(results.explain().hasPrefix("1 row of"))
  }

  @Test func `name what is tested, and what is shared`() throws {
    try store.addParcels(30)
    let sorted = store.results(Parcel.self).sorted(by: \.section, order: .descending)
    #expect(
      sorted.explain() == """
        30 rows of Parcel, sorted by section, descending
        tested: all of 30 objects, for 0 conditions
        shared by all results of Parcel in this order
        """)
    #expect(
      sorted.where { $0.number == 3 }.explain() == """
        1 row of Parcel, sorted by section, descending
        tested: 30 rows of other results, for the conditions added to them
        """)
    #expect(
      store.results(Parcel.self).where { $0.number < 3 }.where { _ in true }.limit(2).explain()
        == """
        2 rows of Parcel, in the order of insertion
        selected from the 3 rows of other results
        """)
    let empty = store.results(Parcel.self).sorted(by: \.label, using: >).where { _ in false }
    #expect(
      empty.explain() == """
        0 rows of Parcel, sorted by a closure
        tested: all of 30 objects, for 1 condition
        """)
  }

  @Test func `are no dependency`() throws {
    try store.addParcels(3)
    let results = store.results(Parcel.self).where(\.section, equals: "s1")
    var runs = 0
    let effect = Effect {
      runs += 1
      _ = results.explain()
    }
    try store.addParcels(0)
    for parcel in Array(store.results(Parcel.self)) { parcel.section = "s1" }
    #expect(results.explain().hasPrefix("3 rows"))
    #expect(runs == 1)
    withExtendedLifetime(effect) {}
  }
}
