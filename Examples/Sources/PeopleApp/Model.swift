package import Signals

/// Somebody in a class.
package final class Person: Object {
  @PrimaryKey package var number = 0
  @Field package var name = ""
  @Field package var age = 0
}

/// A class, with its members in their order.
package final class Course: Object {
  @PrimaryKey package var number = 0
  @Field package var title = ""
  @Links package var members: List<Person>
}
