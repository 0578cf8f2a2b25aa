package import Signals

/// Somebody in a class.
package final class Person: Object {
  @PrimaryKey package var number = 0
  @Field package var name = ""
  @Field package var age = 0
}

/// What the user of this screen has done, which no change of the office concerns.
package final class Desk: Object {
  @PrimaryKey package var name = "desk"
  /// The number of changes that were there when the user last read the news.
  ///
  /// Two screens may say so at once.
  @Latest package var read = 0
}

/// A class, with its members in their order.
package final class Course: Object {
  @PrimaryKey package var number = 0
  @Field package var title = ""
  @Links package var members: List<Person>
}
