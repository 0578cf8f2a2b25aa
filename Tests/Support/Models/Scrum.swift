package import Signals

// What the tests of drafts and forms edit: an object with rules of its own, and one that it embeds.

package final class Scrum: Object, Validating {
  @PrimaryKey package var id = 0
  @Field package var title = ""
  @Field package var minutes = 15
  @Field package var tags: [String] = []
  @Link package var room: Room?

  package func validate(_ check: inout Validation) {
    check.require(!title.isEmpty, at: \Scrum.title, "A scrum needs a title")
    check.require((5...60).contains(minutes), at: \Scrum.minutes, "Between 5 and 60 minutes")
    check.require(tags.count < 3, "Too many tags")
  }

  /// A valid one, alone in a store.
  package static func stored() throws -> (Store, Scrum) {
    let store = Store()
    let scrum = Scrum()
    (scrum.id, scrum.title, scrum.room) = (1, "Daily", Room())
    try store.add(scrum)
    return (store, scrum)
  }
}

package final class Room: EmbeddedObject, Validating {
  @Field package var floor = 0

  package func validate(_ check: inout Validation) {
    check.require(floor >= 0, at: \Room.floor, "Above the ground")
    check.require(floor != 13, "Nobody wants this room")
  }
}
