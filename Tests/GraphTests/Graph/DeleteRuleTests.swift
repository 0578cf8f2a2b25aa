import Signals
import TestSupport
import Testing

/// Delete rules where links close into rings, and what inverses show of it.
@Suite struct `Graph, delete rules in rings` {
  let store = Store()

  private func makeGuild(_ name: String) -> Guild {
    let guild = Guild()
    guild.name = name
    return guild
  }

  @Test func `a ring of cascades goes as a whole, and comes back as a whole`() throws {
    let (a, b, c) = (makeGuild("a"), makeGuild("b"), makeGuild("c"))
    (a.heir, b.heir, c.heir) = (b, c, a)
    let itself = makeGuild("itself")
    itself.heir = itself
    try store.add([a, itself])
    var commits = 0
    let token = store.commits.sink { _ in commits += 1 }
    try store.delete(b)
    try store.delete(itself)
    #expect([a, b, c, itself].allSatisfy { $0.isDeleted && $0.heir == nil } && commits == 2)
    try store.undo()
    try store.undo()
    #expect(a.heir === b && c.heir === a && itself.heir === itself)
    #expect(Array(a.heirOf) == [c] && store.brokenInvariants() == [])
    withExtendedLifetime(token) {}
  }

  @Test func `a link that denies does not hold what goes with it`() throws {
    let (a, b) = (makeGuild("a"), makeGuild("b"))
    a.heir = b
    b.sponsor = a
    try store.add(a)
    try store.delete(a)
    #expect(a.isDeleted && b.isDeleted && store.brokenInvariants() == [])
  }

  @Test func `a link that denies deep in a cascade refuses the whole`() throws {
    let (a, b, c, other) = (makeGuild("a"), makeGuild("b"), makeGuild("c"), makeGuild("other"))
    (a.heir, b.heir, c.heir) = (b, c, a)
    c.sponsor = other
    try store.add(a)
    #expect(throws: StoreError.deletionDenied(.init(c, property: "sponsor"), target: .init(other)))
    {
      try store.delete(a)
    }
    #expect([a, b, c, other].allSatisfy { $0.store === store } && a.heir === b)
    #expect(store.brokenInvariants() == [])
    try store.delete(other)
    try store.delete(a)
    #expect(store.results(Guild.self).isEmpty)
  }

  @Test func `two that deny each other go only with what takes both along`() throws {
    let (a, b, top) = (makeGuild("a"), makeGuild("b"), makeGuild("top"))
    (a.sponsor, b.sponsor) = (b, a)
    try store.add([a, top])
    #expect(throws: StoreError.self) { try store.delete(a) }
    top.heir = a
    a.heir = b
    try store.delete(top)
    #expect(a.isDeleted && b.isDeleted && store.brokenInvariants() == [])
  }

  @Test func `a cascade passes through what is embedded, and a denial in there holds`() throws {
    let (a, b) = (makeGuild("a"), makeGuild("b"))
    let seal = Seal()
    seal.keeper = b
    a.seal = seal
    try store.add(a)
    let other = makeGuild("other")
    seal.witness = other
    #expect(
      throws: StoreError.deletionDenied(.init(seal, property: "witness"), target: .init(other))
    ) {
      try store.delete(a)
    }
    #expect(throws: StoreError.self) { try store.write { a.seal = nil } }
    #expect(a.seal === seal && !seal.isDeleted)
    seal.witness = nil
    try store.delete(a)
    #expect(seal.isDeleted && b.isDeleted && !other.isDeleted)
    try store.undo()
    #expect(a.seal === seal && seal.keeper === b && store.brokenInvariants() == [])
  }

  @Test(arguments: [true, false])
  func `what lost its owner goes together, whichever lost it first`(first: Bool) throws {
    let (a, b, pet) = (makeGuild("a"), makeGuild("b"), makeGuild("pet"))
    let (denying, keeping) = (Seal(), Seal())
    (denying.witness, keeping.keeper) = (pet, pet)
    (a.seal, b.seal) = (denying, keeping)
    try store.add([a, b])
    try store.write {
      for guild in first ? [a, b] : [b, a] { guild.seal = nil }
    }
    #expect(denying.isDeleted && keeping.isDeleted && pet.isDeleted)
    #expect(store.brokenInvariants() == [])
  }

  @Test func `an inverse is told once when a ring goes, and once when it comes back`() throws {
    let (a, b, fan) = (makeGuild("a"), makeGuild("b"), makeGuild("fan"))
    (a.heir, b.heir, fan.heir) = (b, a, fan)
    (a.patron, b.patron) = (fan, fan)
    try store.add([a, fan])
    var seen: [[String]] = []
    let effect = Effect { seen.append(fan.patronOf.map(\.name)) }
    try store.delete(a)
    try store.undo()
    try? store.write {
      try store.delete(b)
      #expect(fan.patronOf.isEmpty)
      throw Refusal()
    }
    #expect(seen == [["a", "b"], [], ["a", "b"]] && store.brokenInvariants() == [])
    withExtendedLifetime(effect) {}
  }
}

private final class Guild: Object {
  @Field var name = ""
  @Link(onDelete: .cascade) var heir: Guild?
  @Link(onDelete: .deny) var sponsor: Guild?
  @Link var patron: Guild?
  @Link var seal: Seal?
  @Inverse(\Guild.heir) var heirOf
  @Inverse(\Guild.patron) var patronOf
}

private final class Seal: EmbeddedObject {
  @Link(onDelete: .cascade) var keeper: Guild?
  @Link(onDelete: .deny) var witness: Guild?
}
