import Signals
import TestSupport
import Testing

/// Changing a property in place.
@Suite struct `Graph, changes in place` {
  let store = Store()
  let novel = makeNovel(1, "Emma", pages: 400)

  init() throws { try store.add(novel) }

  @Test(arguments: [false, true]) func `an operator changes a field`(isInWrite: Bool) throws {
    var seen: [Int] = []
    let effect = Effect { seen.append(self.novel.pages) }
    if isInWrite {
      try store.write {
        novel.pages += 1
        novel.pages += 1
      }
      #expect(seen == [400, 402])
    } else {
      novel.pages += 1
      novel.pages += 1
      #expect(seen == [400, 401, 402])
    }
    withExtendedLifetime(effect) {}
  }

  @Test(arguments: [false, true]) func `two fields of one object are swapped`(isInWrite: Bool)
    throws
  {
    let (a, b) = (Page(), Page())
    try store.add([a, b])
    (a.number, b.number, a.text, b.text) = (1, 2, "a", "b")
    var reads = 0
    let effect = Effect {
      _ = (a.number, b.number); reads += 1
    }
    func exchange() {
      swap(&a.number, &b.number)
      swap(&a.text, &b.text)
    }
    if isInWrite { try store.write { exchange() } } else { exchange() }
    #expect(a.number == 2 && b.number == 1 && a.text == "b" && b.text == "a")
    #expect(reads == (isInWrite ? 2 : 3))
    withExtendedLifetime(effect) {}
  }

  @Test func `a change in place is no read`() {
    var runs = 0
    let effect = Effect {
      runs += 1
      self.novel.tags.append("x")
      self.novel.pages += 1
    }
    novel.tags = []
    novel.pages = 0
    #expect(runs == 1)
    withExtendedLifetime(effect) {}
  }

  @Test func `a change in place that is thrown away leaves what was`() throws {
    novel.tags = ["a", "b"]
    #expect(throws: Refusal.self) {
      try store.write {
        novel.tags.append("c")
        novel.tags.removeFirst()
        try store.write {
          novel.tags.append("d")
          #expect(novel.tags == ["b", "c", "d"])
        }
        throw Refusal()
      }
    }
    #expect(novel.tags == ["a", "b"])
  }

  @Test func `a nested write that throws keeps the outer change in place`() throws {
    try store.write {
      novel.tags.append("a")
      try? store.write {
        novel.tags.append("b")
        throw Refusal()
      }
      novel.tags.append("c")
    }
    #expect(novel.tags == ["a", "c"])
  }

  @Test func `a mutation may read other properties and depends on nothing`() throws {
    novel.tags = ["a", "bb", "ccc"]
    novel.pages = 2
    novel.tags.removeAll { $0.count > novel.pages }
    #expect(novel.tags == ["a", "bb"])
  }

  @Test func `what a mutation reads elsewhere is a dependency of the effect around it`() {
    var runs = 0
    let effect = Effect {
      runs += 1
      self.novel.tags.removeAll { _ in self.novel.pages == 0 }
      self.novel.tags.append("a")
      self.novel.tags.removeAll { _ in self.novel.pages == 0 }
    }
    novel.pages = 0
    #expect(runs == 2)
    withExtendedLifetime(effect) {}
  }

  @Test func `reading a property in its own mutation traps by name`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (store, novel) = (Store(), makeNovel(1))
      try store.add(novel)
      novel.tags = ["a"]
      novel.tags.removeAll { _ in novel.tags.count > 2 }
    }
    expectError(result, "Signals: Novel(key: 1).tags is read while it is being changed")
  }

  @Test func `reading a property in its own mutation traps by name inside a write`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (store, shelf) = (Store(), makeShelf("a", [makeNovel(1)]))
      try store.write {
        try store.add(shelf)
        shelf.novels.removeAll { _ in shelf.novels.count > 2 }
      }
    }
    expectError(result, "Shelf(place: \"a\").novels is read while it is being changed")
  }

  @Test func `writing in a computed traps by name`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (store, novel) = (Store(), makeNovel(1))
      try store.add(novel)
      let total = Computed(name: "total") {
        novel.pages += 1
        return novel.pages
      }
      _ = total.value
    }
    expectError(result, "computed 'total' must not write Novel(key: 1).pages: it may only read")
  }
}
