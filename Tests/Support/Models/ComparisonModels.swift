package import Signals

/// Compared by a field, as users write it.
package final class Cook: Object, Comparable {
  @Field package var name = ""
  @Field package var rank = 0

  package static func < (lhs: Cook, rhs: Cook) -> Bool { lhs.name < rhs.name }
}

/// A value whose comparison reads an object.
package struct ByName: Comparable {
  package let cook: Cook

  package static func < (lhs: ByName, rhs: ByName) -> Bool { lhs.cook.name < rhs.cook.name }
  package static func == (lhs: ByName, rhs: ByName) -> Bool { lhs.cook.name == rhs.cook.name }
}

package final class Dish: Object {
  @Field package var title = ""
  @Field package var price = 0
  @Link package var cook: Cook?

  /// Called when a key is released.
  package var onRelease: () -> Void = {}
  package var key: ReleasedKey { ReleasedKey(price, onRelease) }
  package var signature: ByName? { cook.map { ByName(cook: $0) } }
}

package final class ReleasedKey {
  package let price: Int
  private let onRelease: () -> Void

  package init(_ price: Int, _ onRelease: @escaping () -> Void) {
    self.price = price
    self.onRelease = onRelease
  }

  deinit { onRelease() }
}

package final class DishRow: Projection<Dish> {
  @Projected(\Dish.cook) package var cook: Cook?
  @Projected(\Dish.price) package var price: Int
}

extension Store {
  /// Adds dishes titled by their numbers, each of a cook of its own, of these names.
  package func addDishes(by names: [String]) throws -> [Dish] {
    let dishes = names.enumerated().map { number, name in
      let (dish, cook) = (Dish(), Cook())
      (dish.title, dish.price, cook.name) = ("\(number)", number, name)
      dish.cook = cook
      return dish
    }
    try write { try add(dishes) }
    return dishes
  }
}
