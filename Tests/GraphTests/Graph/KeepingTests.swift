import Signals
import SignalsTesting
import TestSupport
import Testing

/// An upsert that leaves alone what the new object does not know.
@Suite struct `Graph, upsert that keeps` {
  let store = Store()

  private func makePerson(_ name: String, _ city: String) -> Person {
    let person = Person()
    (person.id, person.name, person.home) = (1, name, Address())
    person.home?.city = city
    let phone = Phone()
    phone.number = city
    person.phones = [phone]
    return person
  }

  @Test func `what is kept is not written, and neither is what it would have embedded`() throws {
    let stored = try store.add(makePerson("Ida", "Rome"))
    let (home, phone) = (stored.home, stored.phones[0])
    let new = makePerson("Ida B", "Paris")
    try store.add(new, onConflict: .theirs, keeping: [\.home, \.phones])
    #expect(stored.name == "Ida B" && stored.home === home && home?.city == "Rome")
    #expect(stored.phones.elementsEqual([phone], by: ===) && phone.number == "Rome")
    #expect(new.home?.store == nil && store.results(Phone.self).count == 1)
    try store.add(new, onConflict: .theirs, keeping: [\.name])
    #expect(stored.home === home && home?.city == "Paris" && phone.number == "Paris")
    #expect(store.brokenInvariants() == [])
  }

  @Test func `one that is added has everything that the new one has`() throws {
    let added = try store.add(makePerson("Ida", "Rome"), onConflict: .theirs, keeping: [\.home])
    #expect(added.home?.city == "Rome" && added.store === store)
  }

  @Test func `it holds for subclasses, inherited properties, and objects that are reached`() throws
  {
    let stored = try store.add(makeNovel(1, "Emma", pages: 400))
    let works: [Work] = [makeNovel(1, "other", pages: 1)]
    try store.add(works, onConflict: .theirs, keeping: [\.name])
    #expect(stored.name == "Emma" && stored.pages == 1)
    let shelf = makeShelf("s", [makeNovel(1, "other", pages: 2)])
    try store.add(shelf, onConflict: .theirs, keeping: [\.best])
    #expect(stored.name == "other" && stored.pages == 2)
  }

  @Test func `a loader keeps what the service does not know`() async throws {
    let stored = try store.add(makePerson("Ida", "Rome"))
    let loader = Loader<[Person]>(into: store, keeping: [\.home]) { _ in
      [self.makePerson("Ida B", "Paris")]
    }
    #expect(await loader.load().value?.first === stored)
    #expect(stored.name == "Ida B" && stored.home?.city == "Rome")
  }

  @Test func `a property that is not stored can't be kept`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try Store().add(Novel(), onConflict: .theirs, keeping: [\.label])
    }
    expectError(result, "Novel can't keep")
    let key = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Store().add(Novel(), onConflict: .theirs, keeping: [\.key])
    }
    expectError(key, "key of Novel is kept anyway")
  }
}
