package import Signals

/// A kitchen during its service: the menu, the orders, and the time.
///
/// The business logic lives here and on the other objects.
package final class Kitchen: Object {
  /// The minutes since the service began.
  @Field package private(set) var minute = 0
  @Links package var menu: List<Dish>
  @Links package var orders: List<Order>
  /// The number of the last order.
  @Field private var lastNumber = 0

  // MARK: - Finding

  /// The dish with a name.
  package func dish(_ name: String) throws -> Dish {
    guard let dish = store?.object(Dish.self, primaryKey: name) else {
      throw KitchenError.unknownDish(name)
    }
    return dish
  }

  /// The order with a number.
  package func order(number: Int) throws -> Order {
    guard let order = store?.object(Order.self, primaryKey: number) else {
      throw KitchenError.unknownOrder(number)
    }
    return order
  }

  /// The orders of a table, found by its index.
  package func orders(of table: Int) -> [Order] {
    store.map { Array($0.results(Order.self).where(\.table, equals: table)) } ?? []
  }

  // MARK: - Working

  /// Orders plates of a dish for a table; a table's order grows until the kitchen begins with it.
  ///
  /// - Throws: ``KitchenError/soldOut(_:left:)`` if the stock doesn't have the plates.
  @discardableResult
  package func order(_ plates: Int = 1, of dish: Dish, for table: Int) throws -> Order {
    guard table > 0 else { throw KitchenError.noTable(table) }
    guard plates > 0 else { throw KitchenError.noPlates(plates) }
    return try write(label: "order \(dish.name)") {
      let order = orders(of: table).first(where: \.isNew) ?? newOrder(for: table)
      order.add(plates, of: dish)
      return order
    }
  }

  private func newOrder(for table: Int) -> Order {
    lastNumber += 1
    let order = Order()
    (order.number, order.table, order.placed) = (lastNumber, table, minute)
    orders.append(order)
    return order
  }

  /// Serves lines that are ready, as one step.
  package func serve(_ lines: some Sequence<OrderLine>, as name: String) throws {
    try write(label: "serve \(name)") { for line in lines { line.served = minute } }
  }

  /// Serves the plates of a dish that a table has waited for longest.
  package func serve(_ dish: Dish, to table: Int) throws {
    let lines = orders(of: table).flatMap(\.lines).filter { $0.isOpen && $0.dish === dish }
    guard let line = lines.first else {
      throw KitchenError.nothingOpen(dish: dish.name, table: table)
    }
    try serve([line], as: dish.name)
  }

  /// Makes the bill for all orders of a table that aren't paid yet.
  @discardableResult
  package func pay(table: Int) throws -> Bill {
    let unpaid = orders(of: table).filter { $0.bill == nil }
    guard !unpaid.isEmpty else { throw KitchenError.nothingToPay(table: table) }
    return try write(label: "bill of table \(table)") {
      let bill = Bill()
      (bill.total, bill.minute) = (unpaid.reduce(0) { $0 + $1.total }, minute)
      for order in unpaid { order.bill = bill }
      return bill
    }
  }

  /// Lets time pass, which no undo takes back.
  package func wait(_ minutes: Int) throws {
    guard minutes > 0 else { throw KitchenError.noMinutes(minutes) }
    try write(origin: "clock", undoable: false) { minute += minutes }
  }
}

// MARK: - Rules of the store

extension Kitchen {
  /// The kitchen of a store, whose rules hold from now on.
  ///
  /// No commit makes a stock negative, be it an order, a correction or a redo. Steps of the undo
  /// history have the minute of the service as their date.
  package static func opened(in store: Store) throws -> Kitchen {
    guard let kitchen = store.results(Kitchen.self).first else { throw KitchenError.noKitchen }
    store.beforeCommit { changes in
      for change in changes.changes(of: Dish.self) {
        guard let stock = change.new(\.stock), stock < 0 else { continue }
        throw KitchenError.soldOut(change.object?.name ?? "?", left: change.old(\.stock) ?? 0)
      }
    }
    store.now = { [unowned kitchen] in .seconds(60 * kitchen.minute) }
    return kitchen
  }
}

/// A request that the kitchen refuses.
package enum KitchenError: Error, Equatable, CustomStringConvertible {
  case unknownDish(String)
  case unknownOrder(Int)
  case noTable(Int)
  case noPlates(Int)
  case noMinutes(Int)
  case soldOut(String, left: Int)
  case nothingOpen(dish: String, table: Int)
  case nothingToPay(table: Int)
  case alreadyServed(order: Int, dish: String)
  case paid(order: Int)
  case noKitchen

  /// The message for the user.
  package var description: String {
    switch self {
    case .unknownDish(let name): "there is no dish \"\(name)\""
    case .unknownOrder(let number): "there is no order \(number)"
    case .noTable(let number): "there is no table \(number)"
    case .noPlates(let number): "\(number.plates) can't be ordered"
    case .noMinutes(let number): "\(number) minutes can't pass"
    case .soldOut(let dish, left: 0): "\(dish) is sold out"
    case .soldOut(let dish, let left): "\(dish): only \(left) left"
    case .nothingOpen(let dish, let table): "table \(table) doesn't wait for \(dish)"
    case .nothingToPay(let table): "table \(table) has nothing to pay"
    case .alreadyServed(let order, let dish): "\(dish) of order \(order) is already served"
    case .paid(let order): "order \(order) is already paid"
    case .noKitchen: "there is no kitchen in it"
    }
  }
}
