import Signals

/// The menu: takes orders for a table, and searches dishes while the user types.
struct MenuScreen: View {
  let service: Service
  @Restored("table") private var table = 1
  /// The text that the menu is searched for; a log of intents has its changes, since it is stored.
  @Restored("search") private var query = ""
  @ObservedResults(Dish.self, sortedBy: \.name) private var dishes

  var body: Element {
    let (kitchen, search, table) = (service.kitchen, service.search, table)
    Row {
      TextField("Table", value: $table, id: "table")
      TextField("Search", text: search.$typed.binding, id: "search") { query = search.typed }
    }
    .onAppear { search.typed = query }
    .onChange(of: search.settled) { query = search.settled }
    ForEach($dishes.where(on: query) { $0.matches(query) }) { dish in
      DishRow(dish: dish) { try kitchen.order(of: dish, for: table) }
    }
  }
}

/// A dish with a button that orders a plate of it.
struct DishRow: View {
  @ObservedObject var dish: Dish
  let order: () throws -> Void

  var body: Element {
    Row {
      Button(dish.name, id: "order-\(dish.name)", action: order).frame(minWidth: 20)
      Text("\(dish.price.money), \(dish.stock) left, \(dish.openPlates) open")
        .style(dish.stock == 0 ? .warning : .secondary)
    }
  }
}

/// A table: its orders, and its bill.
struct TableScreen: View {
  let kitchen: Kitchen
  let table: Int
  @ObservedResults(Order.self) private var orders

  var body: Element {
    let (kitchen, table) = (kitchen, table)
    let own = $orders.results(on: table) { $0.where(\.table, equals: table) }
    let unpaid = $orders.results(on: table) {
      $0.where(\.table, equals: table).where { $0.bill == nil }
    }
    Row {
      Text("Table \(table): \((unpaid.value(.sum(\.total)) ?? .max).money) to pay").style(.title)
      Button("Bill", id: "pay") { try kitchen.pay(table: table) }.disabled(unpaid.isEmpty)
    }
    ForEach(own) { order in TableOrder(order: order) }
  }
}

/// An order of a table with its lines.
struct TableOrder: View {
  @ObservedObject var order: Order

  var body: Element {
    let order = order
    let state = order.bill == nil ? order.isOpen ? "open" : "served" : "paid"
    Section {
      ForEach(order.lines) { line in
        Text(line.title + (line.served.map { ", served in minute \($0)" } ?? ""))
      }
    } header: {
      Row {
        Text("Order \(order.number), minute \(order.placed), \(order.total.money): \(state)")
        Button("Cancel", id: "cancel-\(order.number)") { try order.cancel() }
      }
    }
  }
}
