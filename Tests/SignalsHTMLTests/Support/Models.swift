import Signals

/// A thing to do, with a key that no page may show.
final class Chore: Object {
  @PrimaryKey var key = ""
  @Field var title = ""
  @Field var isDone = false
  @Field var minutes = 5
}

final class ChoreList: Object {
  @Links var chores: List<Chore>
}

extension Store {
  /// Adds chores with the given titles, and returns the list of them.
  func addChores(_ titles: [String]) throws -> ChoreList {
    let list = ChoreList()
    for title in titles {
      let chore = Chore()
      chore.key = "secret-\(title)"
      chore.title = title
      list.chores.append(chore)
    }
    try add(list)
    return list
  }
}
