/// Recognizes double and triple clicks by time and position, because terminals report only single
/// presses.
///
/// State: `last`, the previous press.
package struct ClickCounter {
  private var last: (mouse: TerminalMouse, time: Int64)?

  /// The maximum number of milliseconds between two presses of a multiple click.
  private static let interval: Int64 = 400

  package init() {}

  /// Returns the event, with the number of consecutive presses if it is a press.
  package mutating func count(_ input: TerminalInput, at time: Int64) -> TerminalInput {
    guard case .mouse(let mouse) = input, mouse.kind == .press else { return input }
    var clicks = 1
    if let last, last.mouse.x == mouse.x, last.mouse.y == mouse.y,
      time - last.time <= ClickCounter.interval
    {
      // After a triple click the count starts at one again.
      clicks = last.mouse.clicks % 3 + 1
    }
    let counted = TerminalMouse(.press, x: mouse.x, y: mouse.y, clicks: clicks)
    last = (counted, time)
    return .mouse(counted)
  }
}
