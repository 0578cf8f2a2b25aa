/// Tells a double click from two, by time and place; no terminal does.
///
/// State: `last`, the press before.
package struct ClickCounter {
  private var last: (mouse: TerminalMouse, time: Int64)?

  /// How many milliseconds may be between two presses that belong together.
  private static let interval: Int64 = 400

  package init() {}

  /// The same event, with how many times in a row the button went down.
  package mutating func count(_ input: TerminalInput, at time: Int64) -> TerminalInput {
    guard case .mouse(let mouse) = input, mouse.kind == .press else { return input }
    var clicks = 1
    if let last, last.mouse.x == mouse.x, last.mouse.y == mouse.y,
      time - last.time <= ClickCounter.interval
    {
      // After three it begins anew.
      clicks = last.mouse.clicks % 3 + 1
    }
    let counted = TerminalMouse(.press, x: mouse.x, y: mouse.y, clicks: clicks)
    last = (counted, time)
    return .mouse(counted)
  }
}
