import Signals

/// A request in a line: `order 4 2 tomato soup`.
package enum Intent: Equatable {
  case order(table: Int, plates: Int, dish: String)
  case serve(table: Int, dish: String)
  case cancel(order: Int)
  case pay(table: Int)
  case restock(plates: Int, dish: String)
  case wait(Int)
  case undo
  case redo

  /// Reads an intent from a line.
  ///
  /// - Returns: The intent, or nil if the line's first word names none.
  /// - Throws: ``IntentError`` if the rest of the line isn't what the first word needs.
  package static func parse(_ line: String) throws -> Intent? {
    let words = line.split { $0 == " " || $0 == "\t" }.map(String.init)
    guard let usage = words.first.flatMap({ usages[$0] }) else { return nil }
    var rest = words.dropFirst()

    func number(_ range: ClosedRange<Int>) throws -> Int {
      guard let word = rest.popFirst() else { throw IntentError.incomplete(usage) }
      guard let number = Int(word), range.contains(number) else {
        throw IntentError.noNumber(word, range)
      }
      return number
    }
    func name() throws -> String {
      if rest.isEmpty { throw IntentError.incomplete(usage) }
      defer { rest = [] }
      return rest.joined(separator: " ")
    }

    let intent: Intent
    switch words[0] {
    case "order":
      let table = try number(1...99)
      let isCounted = rest.first.flatMap { Int($0) } != nil
      intent = .order(table: table, plates: isCounted ? try number(1...99) : 1, dish: try name())
    case "serve": intent = .serve(table: try number(1...99), dish: try name())
    case "cancel": intent = .cancel(order: try number(1...Int.max))
    case "pay": intent = .pay(table: try number(1...99))
    case "deliver": intent = .restock(plates: try number(1...999), dish: try name())
    case "spoil": intent = .restock(plates: -(try number(1...999)), dish: try name())
    case "wait": intent = .wait(try number(1...600))
    case "undo": intent = .undo
    default: intent = .redo
    }
    if let word = rest.first { throw IntentError.superfluous(word, usage) }
    return intent
  }

  /// What can be said, by its first word.
  private static let usages = [
    "order": "order TABLE [PLATES] DISH", "serve": "serve TABLE DISH", "cancel": "cancel ORDER",
    "pay": "pay TABLE", "deliver": "deliver PLATES DISH", "spoil": "spoil PLATES DISH",
    "wait": "wait MINUTES", "undo": "undo", "redo": "redo",
  ]

  /// Asks the kitchen to do it.
  package func perform(in service: Service) throws {
    let (kitchen, store) = (service.kitchen, service.store)
    switch self {
    case .order(let table, let plates, let dish):
      try kitchen.order(plates, of: kitchen.dish(dish), for: table)
    case .serve(let table, let dish): try kitchen.serve(kitchen.dish(dish), to: table)
    case .cancel(let order): try kitchen.order(number: order).cancel()
    case .pay(let table): try kitchen.pay(table: table)
    case .restock(let plates, let dish): try kitchen.dish(dish).restock(by: plates)
    case .wait(let minutes): try kitchen.wait(minutes)
    case .undo: try store.undo()
    case .redo: try store.redo()
    }
  }
}

/// A line that can't be understood.
package enum IntentError: Error, Equatable, CustomStringConvertible {
  case incomplete(String)
  case noNumber(String, ClosedRange<Int>)
  case superfluous(String, String)

  /// The message for the user.
  package var description: String {
    switch self {
    case .incomplete(let usage): "say \(usage)"
    case .noNumber(let word, let range):
      "\"\(word)\" is no number from \(range.lowerBound)"
        + (range.upperBound == .max ? "" : " to \(range.upperBound)")
    case .superfluous(let word, let usage): "\"\(word)\" is too much: say \(usage)"
    }
  }
}
