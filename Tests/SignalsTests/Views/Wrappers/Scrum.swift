import Signals

// What the tests of drafts and forms edit: an object with rules of its own, and one that it embeds.

final class Scrum: Object, Validating {
  @PrimaryKey var id = 0
  @Field var title = ""
  @Field var minutes = 15
  @Field var tags: [String] = []
  @Link var room: Room?

  func validate(_ check: inout Validation) {
    check.require(!title.isEmpty, \Scrum.title, "A scrum needs a title")
    check.require((5...60).contains(minutes), \Scrum.minutes, "Between 5 and 60 minutes")
    check.require(tags.count < 3, "Too many tags")
  }

  /// A valid one, alone in a store.
  static func stored() throws -> (Store, Scrum) {
    let store = Store()
    let scrum = Scrum()
    (scrum.id, scrum.title, scrum.room) = (1, "Daily", Room())
    try store.add(scrum)
    return (store, scrum)
  }
}

final class Room: EmbeddedObject, Validating {
  @Field var floor = 0

  func validate(_ check: inout Validation) {
    check.require(floor >= 0, \Room.floor, "Above the ground")
    check.require(floor != 13, "Nobody wants this room")
  }
}
