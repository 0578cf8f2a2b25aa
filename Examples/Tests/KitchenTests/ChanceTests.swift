import Foundation
import KitchenApp
import Signals
import SignalsTesting
import Testing

/// The kitchen under random intents, and under faults.
@MainActor
@Suite(.leavesNothing) struct `A kitchen, whatever happens` {
  /// `SIGNALS_STEPS` sets the number of intents.
  private static let steps =
    ProcessInfo.processInfo.environment["SIGNALS_STEPS"].flatMap { Int($0) } ?? 300

  private static var invariants: Monkey.Invariants {
    [
      "no stock is negative": { app in
        app.host.store.results(Dish.self).allSatisfy { $0.stock >= 0 }
      },
      "every plate is in stock or in an order": { app in
        let store = app.host.store
        let inStock = store.results(Dish.self).value(.sum(\.stock))
        let inOrders = store.results(OrderLine.self).value(.sum(\.plates))
        return inStock.flatMap { stock in inOrders.map { stock + $0 } } == 50
      },
      "the screen has the figures of the model": { app in
        let lines = app.host.store.results(OrderLine.self).filter(\.isOpen)
        let open = lines.reduce(0) { $0 + $1.plates }
        return !app.text.contains("Minute ") || app.text.contains(": \(open) plate")
      },
    ]
  }

  private func mount(_ place: String = "pass") throws -> TestHost {
    let kitchen = try Mounted("order 4 2 tomato soup", "order 7 burrata", "order 4 steak")
    try kitchen.app.tap(place)
    return kitchen.app
  }

  @Test(arguments: [1 as UInt64, 2]) func `a monkey breaks nothing`(_ seed: UInt64) throws {
    let texts = ["", "4", "7", "steak", "so", "x", "\u{1B}"]
    try Monkey(seed: seed, texts: texts, allowing: { $0 is KitchenError }).run(
      Self.steps, invariants: Self.invariants,
      finally: [
        "undoing everything leaves the full stock": { app in
          let store = app.host.store
          while store.canUndo { try store.undo() }
          return store.results(Order.self).isEmpty
            && store.results(Dish.self).value(.sum(\.stock)) == 50
        }
      ]
    ) { try mount() }
  }

  @Test(arguments: [
    ("pass", "serve-stove"), ("pass", "serve-1-steak"), ("pass", "undo"), ("menu", "order-burrata"),
    ("menu", "order-steak"),
  ])
  func `an intent that fails at any step has done nothing`(
    _ place: String, _ id: String
  ) throws {
    let steps = try FaultPlan(invariants: Self.invariants).run {
      try mount(place)
    } intent: { app in
      try app.tap(id)
    }
    #expect(steps > 0)
  }

  @Test func `a bill or a cancellation that fails at any step has done nothing`() throws {
    for id in ["pay", "cancel-1"] {
      try FaultPlan(invariants: Self.invariants).run {
        let app = try mount()
        try app.tap("order-1")
        return app
      } intent: { app in
        try app.tap(id)
      }
    }
  }
}
