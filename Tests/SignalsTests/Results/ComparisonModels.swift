import Signals

/// Compared by a field, as users write it.
final class Cook: Object, Comparable {
  @Field var name = ""
  @Field var rank = 0

  static func < (lhs: Cook, rhs: Cook) -> Bool { lhs.name < rhs.name }
}

/// A value whose comparison reads an object.
struct ByName: Comparable {
  let cook: Cook

  static func < (lhs: ByName, rhs: ByName) -> Bool { lhs.cook.name < rhs.cook.name }
  static func == (lhs: ByName, rhs: ByName) -> Bool { lhs.cook.name == rhs.cook.name }
}

final class Dish: Object {
  @Field var title = ""
  @Field var price = 0
  @Link var cook: Cook?

  /// Called when a key is released.
  var onRelease: () -> Void = {}
  var key: ReleasedKey { ReleasedKey(price, onRelease) }
  var signature: ByName? { cook.map { ByName(cook: $0) } }
}

final class ReleasedKey {
  let price: Int
  private let onRelease: () -> Void

  init(_ price: Int, _ onRelease: @escaping () -> Void) {
    self.price = price
    self.onRelease = onRelease
  }

  deinit { onRelease() }
}

final class DishRow: Projection<Dish> {
  @Projected(\Dish.cook) var cook: Cook?
  @Projected(\Dish.price) var price: Int
}

extension Store {
  /// Adds dishes titled by their numbers, each of a cook of its own, of these names.
  func addDishes(by names: [String]) throws -> [Dish] {
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
