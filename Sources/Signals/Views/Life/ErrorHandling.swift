// Who gets an error that an intent throws.

extension ElementContent {
  /// Gets the errors that intents of this content throw.
  ///
  /// - It gets what buttons and fields, `onAppear`, `onDisappear`, `onChange` and `task` throw that stand in this
  ///   content, at any depth. The nearest handler gets an error; without any, ``ViewHost/onError`` does.
  /// - A modifier that follows `onError` stands around it, and is not handled by it.
  /// - The transaction of the intent was undone before. The handler is a transaction of its own, and what it writes
  ///   the next frame.
  /// - What the handler throws goes to the next one around it.
  /// - Whoever called `perform` or `performAsync` is thrown the error all the same.
  /// - An ``InvalidDraftError`` reaches no handler if all that is wrong stands beside fields on screen already.
  ///
  /// ```swift
  /// Column {
  ///   if let message { Text(message) }
  ///   Button("Borrow") { try library.borrow(isbn: book.isbn, for: member.id) }
  /// }.onError { message = "\($0)" }
  /// ```
  public func onError(_ handler: @escaping (any Error) throws -> Void) -> Element {
    Element(.life(ErrorModifier(handler: handler), [element]))
  }
}

/// Who gets the errors of what stands below it.
///
/// State: `handle` is what the last body said, and nil once the handler has left the screen; `outer` is the next one
/// around it.
final class ErrorHandler {
  private(set) var handle: ((any Error) throws -> Void)?
  var outer: ErrorHandler?

  init(_ handle: @escaping (any Error) throws -> Void) { self.handle = handle }

  /// Sets what handles errors; the closure before may own what asks for it, and is released afterwards.
  func setHandle(_ new: ((any Error) throws -> Void)?) {
    let replaced = handle
    handle = new
    withExtendedLifetime(replaced) {}
  }
}

private struct ErrorModifier: LifeModifier {
  let handler: (any Error) throws -> Void

  func makePart(in scope: Scope) -> ErrorPart { ErrorPart(handler) }

  func update(_ part: ErrorPart) -> Bool {
    part.own.setHandle(handler)
    return false
  }
}

private final class ErrorPart: LifePart {
  let own: ErrorHandler

  init(_ handle: @escaping (any Error) throws -> Void) { own = ErrorHandler(handle) }

  override var errorHandler: ErrorHandler? { own }

  override func end() -> (() throws -> Void)? {
    own.setHandle(nil)
    return nil
  }
}

extension ViewHost {
  /// Runs an intent as one transaction, or as a savepoint of the one under way; `label` is what its step is called.
  func runIntent(label: String? = nil, _ intent: () throws -> Void) throws {
    try Node.withoutReader {
      let isNested = store.transaction != nil || Callback.isUnderWay
      try Workplace.run(at: workplace) {
        if isNested {
          try store.write(label: label, intent)
        } else {
          try Callback.run(label: label, intent)
        }
      }
    }
  }

  /// Runs an intent that no caller waits for.
  func runReporting(_ handler: ErrorHandler?, _ intent: () throws -> Void) {
    do { try runIntent(intent) } catch { reportToAnyone(error, handler) }
  }

  /// Hands on an error that no caller gets.
  func reportToAnyone(_ error: any Error, _ handler: ErrorHandler?) {
    if !report(error, to: handler) { ViewHost.reportUnhandled(error) }
  }

  /// Hands an error to the nearest handler; false if there is none at all.
  @discardableResult
  func report(_ error: any Error, to nearest: ErrorHandler?) -> Bool {
    // What is wrong stands beside the fields.
    if let invalid = error as? InvalidDraftError, invalid.isShown { return true }
    var error = error
    var nearest = nearest
    while let handler = nearest {
      nearest = handler.outer
      guard let handle = handler.handle else { continue }
      do {
        try runIntent { try handle(error) }
        return true
      } catch let next { error = next }
    }
    onError?(error)
    return onError != nil
  }

  /// Says what was thrown where neither a handler nor a caller can be given it.
  static func reportUnhandled(_ error: any Error) {
    writeToStandardError("Signals: no onError gets what a view's intent threw: \(error)\n")
  }
}
