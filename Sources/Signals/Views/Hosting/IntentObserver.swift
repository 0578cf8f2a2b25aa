// The hook of a host through which its intents and the moves of its focus pass; an intent log is
// such an observer.

/// An intent of an element, a key or the app.
struct IntentEvent {
  let name: String
  var element: DrawnElement?
  var input: ElementInput?
}

/// Ends an asynchronous intent, with its error, by calling the closure.
typealias IntentEnd = ((any Error)?, () -> Void) -> Void

/// Observes the intents of a host and the moves of its focus, each of which it performs.
protocol IntentObserver: AnyObject {
  /// Performs an intent by calling `body`.
  func perform(_ event: IntentEvent, _ body: () throws -> Void) rethrows

  /// Moves the focus by calling `body`.
  func moveFocus(to id: String?, _ body: () -> Void)

  /// Begins an asynchronous intent by calling `body`, and returns the function that ends it.
  func begin(_ event: IntentEvent, _ body: () -> Void) -> IntentEnd

  /// Whether asynchronous intents that are started do no work, and end when the observer ends them.
  var holdsAsyncIntents: Bool { get }

  /// Takes the function that ends the asynchronous intent that has just begun.
  func hold(_ end: @escaping ((any Error)?) -> Void)
}
