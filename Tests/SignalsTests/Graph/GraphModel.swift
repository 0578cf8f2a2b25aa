import Signals

/// What is in a store of things, as values.
enum GraphModel {
  struct State: Equatable {
    var key = 0
    var name = ""
    var link: ObjectID?
    var list: [ObjectID] = []
  }
}

/// What the random histories are about: everything can link to everything.
class Thing: Object {
  @PrimaryKey var key = 0
  @Indexed var name = ""
  @Link var link: Thing?
  @Links var list: List<Thing>
  @Inverse(\Thing.link) var linking
  @Inverse(\Thing.list) var listing

  var state: GraphModel.State {
    .init(key: key, name: name, link: link?.objectID, list: list.map(\.objectID))
  }
}

final class SpecialThing: Thing {
  @Field var extra = 0
}
