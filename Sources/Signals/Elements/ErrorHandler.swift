/// The handler of errors thrown in the content below it.
///
/// State: `handle`, the closure of the last body, or nil once the handler has left the screen;
/// `outer`, the next handler around it.
final class ErrorHandler {
  private(set) var handle: ((any Error) throws -> Void)?
  var outer: ErrorHandler?

  init(_ handle: @escaping (any Error) throws -> Void) { self.handle = handle }

  /// Sets the closure that handles errors.
  ///
  /// Releasing the old closure may run user code that uses the handler, so it happens after the
  /// assignment.
  func setHandle(_ new: ((any Error) throws -> Void)?) {
    let replaced = handle
    handle = new
    withExtendedLifetime(replaced) {}
  }
}
