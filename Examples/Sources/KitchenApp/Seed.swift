package import Signals

extension Kitchen {
  /// Adds a kitchen with a small menu to a store, and optionally some orders to look at.
  package static func sample(in store: Store, withOrders: Bool = false) throws {
    let kitchen = Kitchen()
    for (name, station, price, stock) in dishes {
      let dish = Dish()
      (dish.name, dish.station, dish.price, dish.stock) = (name, station, price, stock)
      kitchen.menu.append(dish)
    }
    try store.write(undoable: false) {
      try store.add(kitchen)
      for (table, plates, name) in withOrders ? orders : [] {
        try kitchen.order(plates, of: kitchen.dish(name), for: table)
      }
    }
  }

  private static let dishes: [(String, Station, Int, Int)] = [
    ("tomato soup", .stove, 550, 12), ("green salad", .cold, 480, 10),
    ("burrata", .cold, 950, 3), ("grilled fish", .grill, 1750, 5), ("steak", .grill, 2300, 4),
    ("mushroom risotto", .stove, 1400, 6), ("cheesecake", .sweets, 650, 8),
    ("lemon sorbet", .sweets, 500, 2),
  ]

  private static let orders = [
    (4, 2, "tomato soup"), (4, 1, "steak"), (7, 1, "burrata"), (7, 1, "mushroom risotto"),
    (2, 2, "grilled fish"), (9, 1, "green salad"), (9, 1, "cheesecake"),
  ]
}
