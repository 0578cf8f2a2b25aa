package import Signals

/// The parts of a running kitchen that aren't in the graph: the lists that screens show, the bell,
/// and the text of the search field.
package final class Service {
  package let store: Store
  package let kitchen: Kitchen
  let board: Board
  package let bell: Bell
  let search: SearchText
  private var minutes: (any Cancellable)?

  /// Opens the kitchen of a store.
  ///
  /// - Parameter clock: The clock of the bell and the search field.
  package init<C: Clock>(
    _ store: Store, clock: C, isolation: isolated (any Actor)? = #isolation
  ) throws where C.Duration == Duration {
    self.store = store
    kitchen = try Kitchen.opened(in: store)
    board = Board(store)
    bell = Bell(for: board, clock: clock, isolation: isolation)
    search = SearchText(clock: clock, isolation: isolation)
  }

  /// Lets the kitchen's time pass with a clock's.
  package func follow<C: Clock>(
    _ clock: C, isolation: isolated (any Actor)? = #isolation
  ) where C.Duration == Duration {
    let (store, kitchen) = (store, kitchen)
    minutes = Every(.seconds(60), clock: clock).sink { _ in
      do { try kitchen.wait(1) } catch { store.onRefusal(error) }
    }
  }
}

/// Live lists of orders, made once and read by several views.
final class Board {
  /// The orders with plates to serve, the oldest first.
  let open: Results<Order>
  /// The orders to work on next.
  let next: Results<Order>
  /// The tables that wait, each by its oldest order.
  let waiting: Results<Order>
  /// The orders that wait too long.
  let late: Results<Order>
  /// All lines, served or not.
  let lines: Results<OrderLine>
  let bills: Results<Bill>

  init(_ store: Store) {
    open = store.results(Order.self).where(\.isOpen)
      .sorted(by: .ascending(\.placed), .ascending(\.number))
    next = open.limit(3)
    waiting = open.distinct(by: \.table)
    late = open.where(\.isLate)
    lines = store.results(OrderLine.self)
    bills = store.results(Bill.self)
  }
}

/// Rings when orders become late.
///
/// State: `messages`, the rings on screen, each for a while, the oldest first.
package final class Bell {
  @Signal package private(set) var messages: [String] = []
  /// The messages as they come.
  package let rings = Subject<String, Never>()
  private var tokens: [any Cancellable] = []

  private static let duration = Duration.seconds(10)

  init<C: Clock>(for board: Board, clock: C, isolation: isolated (any Actor)? = #isolation)
  where C.Duration == Duration {
    weak let bell = self
    board.late.observe { change in
      if change.inserted.isEmpty { return }
      let tables = change.inserted.map { "table \($0.table)" }.joined(separator: ", ")
      bell?.rings.send("waiting too long: \(tables)")
    }.store(in: &tokens)
    rings.sink { bell?.messages.append($0) }.store(in: &tokens)
    rings.delay(for: Bell.duration, clock: clock).sink { _ in bell?.messages.removeFirst() }
      .store(in: &tokens)
  }
}

/// The text of a search field, and the text to search for, which follows when the user pauses.
final class SearchText {
  /// The name of the text to search for in the log of a session.
  static let name = "search"
  @Signal var typed = ""
  @Signal private(set) var settled = ""
  private var following: (any Cancellable)?

  init<C: Clock>(clock: C, isolation: isolated (any Actor)? = #isolation)
  where C.Duration == Duration {
    following = $typed.publisher.debounce(for: .milliseconds(300), clock: clock)
      .assign(to: $settled)
  }
}
