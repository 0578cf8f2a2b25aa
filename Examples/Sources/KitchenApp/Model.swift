package import Signals

/// A part of the kitchen, which prepares some of the dishes.
package enum Station: String, Codable, CaseIterable, Comparable, Sendable {
  case cold, stove, grill, sweets

  /// Orders stations by name.
  package static func < (lhs: Station, rhs: Station) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// A dish of the menu.
package final class Dish: Object {
  @PrimaryKey package var name = ""
  @Field package var station = Station.stove
  /// The price of a plate, in cents.
  @Field package var price = 0
  /// The number of plates that can still be ordered; an undo adds what its step has taken.
  @Counter package var stock = 0
  @Inverse(\OrderLine.dish) package var lines

  /// The number of plates that are ordered and not served yet.
  package var openPlates: Int { lines.reduce(0) { $0 + $1.openPlates } }

  /// Whether the name contains a search text, in upper or lower case.
  func matches(_ query: String) -> Bool {
    query.isEmpty || name.lowercased().contains(query.lowercased())
  }

  /// Adds plates that were delivered, or removes spoiled ones.
  ///
  /// It has happened, so it isn't a step that can be undone.
  package func restock(by plates: Int) throws {
    try write(origin: "stock", undoable: false) { stock += plates }
  }
}

/// Some plates of one dish, as part of an order.
package final class OrderLine: EmbeddedObject {
  @Link package var dish: Dish?
  @Field package var plates = 0
  /// The minute in which the plates were served; nil until then.
  @Field package var served: Int?

  /// The order that has the line.
  package var order: Order? { owner as? Order }
  package var isOpen: Bool { served == nil }
  package var openPlates: Int { isOpen ? plates : 0 }
  package var station: Station? { dish?.station }
  package var placed: Int { order?.placed ?? 0 }
  /// The minutes from the order to the service.
  package var duration: Int? { served.map { $0 - placed } }
  package var price: Int { plates * (dish?.price ?? 0) }
  var title: String { "\(plates) \(dish?.name ?? "?")" }
}

/// The dishes that a table has ordered together.
package final class Order: Object {
  @PrimaryKey package var number = 0
  @Indexed package var table = 0
  /// The minute in which it was ordered.
  @Field package var placed = 0
  @Links package var lines: List<OrderLine>
  /// The bill with which it was paid; a paid order can't be deleted.
  @Link(onDelete: .deny) package var bill: Bill?
  @Inverse(\Kitchen.orders) package var kitchens

  /// An order that waits this many minutes is late.
  package static let patience = 15

  /// Whether some of its plates aren't served yet.
  package var isOpen: Bool { lines.contains { $0.isOpen } }
  /// The minutes since it was ordered.
  package var waiting: Int { (kitchens.first?.minute ?? placed) - placed }
  package var isLate: Bool { isOpen && waiting >= Order.patience }
  package var total: Int { lines.value(.sum(\.price)) ?? .max }
  /// Whether the kitchen has not begun with it, so that it takes further plates.
  var isNew: Bool { bill == nil && lines.allSatisfy(\.isOpen) }

  /// Adds plates of a dish, and takes them from its stock.
  func add(_ plates: Int, of dish: Dish) {
    dish.stock -= plates
    if let line = lines.first(where: { $0.dish === dish }) {
      line.plates += plates
    } else {
      let line = OrderLine()
      (line.dish, line.plates) = (dish, plates)
      lines.append(line)
    }
  }

  /// Deletes the order, and returns its plates to the stock.
  package func cancel() throws {
    if let line = lines.first(where: { !$0.isOpen }) {
      throw KitchenError.alreadyServed(order: number, dish: line.dish?.name ?? "?")
    }
    do {
      try write(label: "cancel order \(number)") {
        for line in lines { line.dish?.stock += line.plates }
        try store?.delete(self)
      }
    } catch StoreError.deletionDenied { throw KitchenError.paid(order: number) }
  }
}

/// What a table has paid.
package final class Bill: Object {
  /// The sum in cents, at the prices of that time.
  @Field package var total = 0
  @Field package var minute = 0
  @Inverse(\Order.bill) package var orders
}
