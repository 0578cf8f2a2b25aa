internal import Signals
internal import SignalsSync
internal import Testing

/// Two or three peers that make changes without contact, and then exchange them.
@Suite struct MergeTests {
  let time = VirtualTime()
  let one: Peer
  let two: Peer

  init() {
    one = Peer(1, time: time)
    two = Peer(2, time: time)
  }

  /// Exchanges everything both ways, and checks that both show what the model says.
  @discardableResult
  func exchange(sourceLocation: SourceLocation = #_sourceLocation) throws -> [MergeReport] {
    let (mine, theirs) = (one.take(), two.take())
    let reports = [try one.merging.merge(theirs), try two.merging.merge(mine)]
    let model = try NaiveModel(one.made + two.made)
    #expect(one.visible == model.visible, sourceLocation: sourceLocation)
    #expect(two.visible == model.visible, sourceLocation: sourceLocation)
    #expect(one.store.brokenInvariants() == [], sourceLocation: sourceLocation)
    #expect(two.store.brokenInvariants() == [], sourceLocation: sourceLocation)
    return reports
  }

  @Test func `A new object arrives with its values, links and lists`() throws {
    let page = Page()
    page.title = "Plan"
    page.next = Page()
    page.related = [Page(), page]
    page.cover = Part()
    page.note = Note()
    _ = one.add(page)
    try exchange()
    #expect(two.find(page)?.title == "Plan")
    #expect(two.find(page)?.related.count == 2)
  }

  @Test func `The later of two writes of a field wins, and the other is reported once`() throws {
    let page = one.add(Page())
    try exchange()
    page.title = "one"
    time.advance(by: 5)
    two.find(page)?.title = "two"
    let reports = try exchange()
    #expect(page.title == "two")
    for report in reports {
      #expect(report.losses.count == 1)
      #expect(report.losses.first?.subject.property == "title")
      #expect(report.losses.first?.loser.replica == ReplicaID(rawValue: 1))
    }
  }

  @Test func `A write whose author had seen the earlier one reports nothing`() throws {
    let page = one.add(Page())
    try exchange()
    page.title = "one"
    try exchange()
    two.find(page)?.title = "two"
    #expect(try exchange().allSatisfy { $0.losses.isEmpty })
  }

  @Test func `Counters add, and maxima keep the larger value`() throws {
    let page = Page()
    page.visits = 10
    _ = one.add(page)
    try exchange()
    page.visits += 3
    page.seen = 7
    two.find(page)?.visits -= 1
    two.find(page)?.seen = 9
    two.find(page)?.weight += 0.5
    try exchange()
    #expect(page.visits == 12)
    #expect(page.seen == 9)
  }

  @Test func `A counter out of range shows the nearest value and keeps the sum`() throws {
    let page = Page()
    page.visits = .max - 1
    _ = one.add(page)
    try exchange()
    page.visits += 1
    two.find(page)?.visits += 1
    let sets = (one.take(), two.take())
    #expect(try one.merging.merge(sets.1).outOfRange.count == 1)
    try two.merging.merge(sets.0)
    #expect(page.visits == .max)
    two.find(page)?.visits -= 10
    try one.merging.merge(two.take())
    #expect(page.visits == .max - 9)
  }

  @Test func `Deleting wins over an edit, which is reported`() throws {
    let page = one.add(Page())
    try exchange()
    try one.store.delete(page)
    time.advance()
    let other = try #require(two.find(page))
    other.title = "kept?"
    let reports = try exchange()
    #expect(two.store.storedObjects.isEmpty)
    #expect(other.isDeleted)
    #expect(reports[1].losses.first?.isDeletion == true)
  }

  @Test func `An edit revives an object whose class says so`() throws {
    let note = one.add(Note())
    try exchange()
    try one.store.delete(note)
    time.advance()
    two.find(note)?.text = "kept"
    try exchange()
    #expect((one.merging.object(note.objectID) as? Note)?.text == "kept")
  }

  @Test func `A concurrent edit revives, also one that was made before the deletion`() throws {
    let (edited, deleted) = (one.add(Note()), one.add(Note()))
    try exchange()
    two.find(edited)?.text = "kept"
    two.find(deleted)?.text = "known"
    time.advance()
    try one.merging.merge([two.take()[1]])
    try one.merging.merge([two.made[0]])
    let third = Peer(3, time: time)
    try third.merging.merge(one.made)
    time.advance(by: 5)
    try one.store.delete(deleted)
    try third.store.delete(try #require(third.find(edited)))
    let theirs = third.take()
    for peer in [one, two] { try peer.merging.merge(theirs) }
    let mine = one.take()
    for peer in [two, third] { try peer.merging.merge(mine + two.made) }
    let model = try NaiveModel(one.made + two.made + third.made)
    for peer in [one, two, third] {
      #expect(peer.visible == model.visible)
      #expect(peer.find(edited)?.text == "kept")
      #expect(peer.find(deleted) == nil)
    }
  }

  @Test func `Undoing a deletion brings the object back everywhere`() throws {
    let page = Page()
    page.title = "Plan"
    page.visits = 4
    page.related = [Page()]
    _ = one.add(page)
    try exchange()
    two.find(page)?.visits += 2
    try one.store.delete(page)
    try exchange()
    try one.store.undo()
    try exchange()
    #expect(two.find(page)?.title == "Plan")
  }

  @Test func `A link to an object that hasn't come is set when it comes`() throws {
    let first = one.add(Page())
    try exchange()
    let second = two.add(Page())
    let sets = two.take()
    try one.merging.merge(sets)
    one.find(second)?.next = first
    first.next = one.find(second)
    let third = Peer(3, time: time)
    let mine = one.take()
    try third.merging.merge(mine)
    #expect(third.store.storedObjects.isEmpty == true)
    try third.merging.merge(sets)
    #expect(third.find(second)?.next == nil)
    try third.merging.merge(one.made)
    #expect(third.find(second)?.next === third.find(first))
    #expect(third.find(first)?.next === third.find(second))
  }

  @Test func `A link keeps its target while that is deleted`() throws {
    let page = Page()
    let target = Page()
    page.next = target
    _ = one.add(page)
    try exchange()
    try one.store.delete(target)
    try exchange()
    #expect(two.find(page)?.next == nil)
    try one.store.undo()
    try exchange()
    #expect(two.find(page)?.next != nil)
  }

  @Test func `Concurrent edits of a list keep all elements once`() throws {
    let page = Page()
    page.related = List((0..<5).map { _ in Page() })
    _ = one.add(page)
    try exchange()
    let other = try #require(two.find(page))
    try page.write { page.related.append(page.related.remove(at: 0)) }
    try other.write { other.related.append(other.related.remove(at: 0)) }
    page.related.insert(Page(), at: 2)
    other.related.remove(at: 3)
    try exchange()
    #expect(page.related.count == 5)
  }

  @Test func `A part belongs to the owner that got it last`() throws {
    let (left, right, part) = (Page(), Page(), Part())
    let home = Page()
    home.cover = part
    for page in [left, right, home] { _ = one.add(page) }
    try exchange()
    try one.store.write {
      home.cover = nil
      left.cover = part
    }
    time.advance()
    let theirs = try #require(two.find(part))
    try two.store.write {
      two.find(home)?.cover = nil
      two.find(right)?.parts.append(theirs)
    }
    try exchange()
    #expect(part.owner === right)
    #expect(left.cover == nil)
  }

  @Test func `Of parts moved into each other, the first one moved goes back to its owner`() throws {
    let (page, left, right) = (Page(), Part(), Part())
    (left.text, right.text) = ("left", "right")
    (page.cover, page.parts) = (left, [right])
    _ = one.add(page)
    try exchange()
    try one.store.write {
      page.cover = nil
      right.inner = left
    }
    time.advance()
    let theirs = try #require(two.find(page))
    try two.store.write {
      theirs.parts.removeAll()
      two.find(left)?.inner = two.find(right)
    }
    let reports = try exchange()
    #expect(page.cover === left)
    #expect(left.inner === right)
    for report in reports {
      #expect(report.ownership.count == 1)
      #expect(report.ownership.first?.part == left.objectID)
      #expect(report.ownership.first?.loser.object == right.objectID)
      #expect(report.ownership.first?.loser.property == "inner")
      #expect(report.ownership.first?.owner == page.objectID)
    }
    // A later move of it counts again.
    let other = one.add(Page())
    try one.store.write {
      page.cover = nil
      other.cover = left
    }
    try exchange()
    #expect(left.owner === other)
  }

  @Test func `A part that has come back to a list can be moved and removed`() throws {
    let (page, left, right) = (Page(), Part(), Part())
    page.parts = [left, right, Part()]
    _ = one.add(page)
    try exchange()
    try one.store.write {
      page.parts.remove(left)
      right.inner = left
    }
    time.advance()
    try two.store.write {
      two.find(page)?.parts.remove(at: 1)
      two.find(left)?.inner = two.find(right)
    }
    try exchange()
    #expect(page.parts.last === left)
    try page.write {
      page.parts.remove(left)
      page.parts.insert(left, at: 0)
    }
    page.parts.append(Part())
    try exchange()
    #expect(page.parts.first === left)
    #expect(page.parts.count == 3)
    page.parts.remove(left)
    try exchange()
    #expect(left.isDeleted)
  }

  @Test func `Parts and cascades die with their owners, also those added elsewhere`() throws {
    let page = Page()
    _ = one.add(page)
    try exchange()
    try one.store.delete(page)
    let other = try #require(two.find(page))
    try two.store.write {
      other.cover = Part()
      other.note = Note()
    }
    try exchange()
    #expect(one.store.storedObjects.isEmpty)
    #expect(two.store.storedObjects.isEmpty)
  }

  @Test func `Objects with one primary key are one object`() throws {
    let (mine, theirs) = (Tag(), Tag())
    (mine.name, mine.color, mine.uses) = ("red", "#f00", 1)
    (theirs.name, theirs.color, theirs.uses) = ("red", "#e00", 1)
    _ = one.add(mine)
    time.advance()
    _ = two.add(theirs)
    theirs.uses += 2
    let reports = try exchange()
    #expect(mine.color == "#e00")
    #expect(mine.uses == 3)
    #expect(reports[0].aliases.count == 1)
    mine.color = "#fff"
    try exchange()
    #expect(theirs.color == "#fff")
    try two.store.delete(theirs)
    try exchange()
    #expect(mine.isDeleted)
  }

  @Test func `Effects that write while a merge is propagated are captured`() throws {
    let page = one.add(Page())
    try exchange()
    let other = try #require(two.find(page))
    let effect = Effect { if other.title == "go" { other.size = 5 } }
    page.title = "go"
    try two.merging.merge(one.take())
    try exchange()
    #expect(page.size == 5)
    effect.cancel()
  }

  @Test func `A merge inside a transaction is refused and loses nothing`() throws {
    let page = one.add(Page())
    let sets = one.take()
    try two.store.write {
      #expect(throws: MergeError.transactionIsOpen) { try two.merging.merge(sets) }
    }
    try two.merging.merge(sets)
    #expect(two.find(page) != nil)
  }
}
