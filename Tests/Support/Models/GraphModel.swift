package import Signals

/// What is in a store of things, as values.
package enum GraphModel {
  package struct State: Equatable {
    package var key = 0
    package var name = ""
    package var link: ObjectID?
    package var list: [ObjectID] = []
  }
}

/// What the random histories are about: everything can link to everything.
package class Thing: Object {
  @PrimaryKey package var key = 0
  @Indexed package var name = ""
  @Link package var link: Thing?
  @Links package var list: List<Thing>
  @Inverse(\Thing.link) package var linking
  @Inverse(\Thing.list) package var listing

  package var state: GraphModel.State {
    .init(key: key, name: name, link: link?.objectID, list: list.map(\.objectID))
  }
}

package final class SpecialThing: Thing {
  @Field package var extra = 0
}
