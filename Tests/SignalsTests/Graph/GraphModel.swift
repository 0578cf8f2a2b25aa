import Signals

/// The naive model of a store: what is in it, as dictionaries of values.
struct GraphModel: Equatable {
  struct State: Equatable {
    var key = 0
    var name = ""
    var link: ObjectID?
    var list: [ObjectID] = []
  }

  var objects: [ObjectID: State] = [:]

  mutating func delete(_ id: ObjectID) {
    objects[id] = nil
    for other in objects.keys {
      if objects[other]?.link == id { objects[other]?.link = nil }
      objects[other]?.list.removeAll { $0 == id }
    }
  }

  /// Brings the model to where a commit led.
  mutating func apply(_ change: ChangeSet) {
    for one in change.changes {
      if one.kind == .deleted {
        objects[one.id] = nil
        continue
      }
      var state = objects[one.id] ?? State()
      for property in one.properties {
        switch property.name {
        case "key": state.key = property.new as? Int ?? -1
        case "name": state.name = property.new as? String ?? "?"
        case "link": state.link = (property.new as? ObjectID?) ?? nil
        case "list": state.list = property.new as? [ObjectID] ?? []
        default: break
        }
      }
      objects[one.id] = state
    }
  }

  /// Whether the old values that a commit tells are those of this model.
  func agrees(withOldOf change: ChangeSet) -> Bool {
    change.changes.allSatisfy { one in
      guard let state = objects[one.id] else { return one.kind == .inserted }
      return one.kind != .inserted
        && one.properties.allSatisfy { property in
          switch property.name {
          case "key": property.old as? Int == state.key
          case "name": property.old as? String == state.name
          case "link": (property.old as? ObjectID?) ?? nil == state.link
          case "list": property.old as? [ObjectID] == state.list
          default: true
          }
        }
    }
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
