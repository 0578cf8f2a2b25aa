import Signals

/// The work of the kitchen: totals, the next orders, the tables that wait, and the open plates of
/// each station.
struct PassScreen: View {
  let service: Service
  let open: (Int) -> Void
  @ObservedSections(
    OrderLine.self, by: \.station, sortedBy: .ascending(\.placed), where: { $0.isOpen }
  ) private var stations

  var body: Element {
    let (service, open) = (service, open)
    Totals(kitchen: service.kitchen, board: service.board)
    Section("Next") {
      ForEach(service.board.next) { order in NextOrder(order: order, open: open) }
    }
    Section("Waiting tables: \(service.board.waiting.count)") {
      ForEach(service.board.waiting) { order in
        Text("table \(order.table), \(order.waiting) min")
          .style(order.isLate ? .warning : .secondary)
      }
    }
    ForEach(stations) { station in
      Section {
        ForEach(station) { line in LineButton(line: line, kitchen: service.kitchen) }
      } header: {
        StationHeader(station: station, kitchen: service.kitchen)
      }
    }
  }
}

/// The figures of the service.
struct Totals: View {
  @ObservedObject var kitchen: Kitchen
  let board: Board

  var body: Element {
    let plates = (board.lines.value(.sum(\.openPlates)) ?? .max).plates
    Text("Minute \(kitchen.minute): \(plates) to serve\(oldest)").style(.title)
    Text("Takings \((board.bills.value(.sum(\.total)) ?? .max).money)\(pace)")
  }

  private var oldest: String {
    board.open.value(.min(\.placed)).map { ", the oldest from minute \($0)" } ?? ""
  }

  private var pace: String {
    guard let minutes = board.lines.value(.average(\.duration)) else { return "" }
    return ", served after \(Int((minutes * 60).rounded())) s on average"
  }
}

/// An order to work on, which leads to its table.
struct NextOrder: View {
  @ObservedObject var order: Order
  let open: (Int) -> Void

  var body: Element {
    let (order, open) = (order, open)
    let plates = (order.lines.value(.sum(\.openPlates)) ?? .max).plates
    Button("Order \(order.number), table \(order.table): \(plates)", id: "order-\(order.number)") {
      open(order.table)
    }
  }
}

/// A station with its figures, and a button that serves all that it has.
struct StationHeader: View {
  let station: Sections<Station?, OrderLine>.Section
  let kitchen: Kitchen

  var body: Element {
    let name = station.key?.rawValue ?? "other"
    let plates = (station.value(.sum(\.plates)) ?? .max).plates
    let oldest = station.value(.min(\.placed)) ?? 0
    Row {
      Text("\(name): \(plates), the oldest from minute \(oldest)").style(.accent)
      Button("Serve all", id: "serve-\(name)") { try kitchen.serve(Array(station), as: name) }
    }
  }
}

/// A line of an order at its station.
struct LineButton: View {
  @ObservedObject var line: OrderLine
  let kitchen: Kitchen

  var body: Element {
    let (line, kitchen) = (line, kitchen)
    let (dish, order) = (line.dish?.name ?? "?", line.order)
    Button(
      "\(line.title), table \(order?.table ?? 0)", id: "serve-\(order?.number ?? 0)-\(dish)"
    ) { try kitchen.serve([line], as: dish) }
    .style(order?.isLate == true ? .warning : .emphasized)
  }
}
