// Which handler gets an error that an intent throws.

extension ElementContent {
  /// Handles the errors that intents of this content throw.
  ///
  /// - The handler gets the errors of buttons and fields, of `onAppear`, `onDisappear`, `onChange`
  ///   and `task`, at any depth in this content. An error goes to the nearest handler, or to
  ///   ``ViewHost/onError`` if there is none.
  /// - A modifier that follows `onError` is outside of the handler, which doesn't get its errors.
  /// - The transaction of the intent has already been undone. The handler runs as a separate
  ///   transaction, and its writes are in the next frame.
  /// - An error that the handler throws goes to the next handler around it.
  /// - The caller of `perform` or `performAsync` is thrown the error in any case.
  /// - An ``InvalidDraftError`` isn't passed to any handler if fields on screen already show
  ///   everything that is wrong.
  ///
  /// ```swift
  /// Column {
  ///   if let message { Text(message) }
  ///   Button("Borrow") { try library.borrow(isbn: book.isbn, for: member.id) }
  /// }.onError { message = "\($0)" }
  /// ```
  ///
  /// - Parameter handler: Handles an error, or throws one to the next handler.
  /// - Returns: This content with the handler.
  public func onError(_ handler: @escaping (any Error) throws -> Void) -> Element {
    Element(.lifecycle(ErrorModifier(handler: handler), [element]))
  }
}

private struct ErrorModifier: LifecycleModifier {
  let handler: (any Error) throws -> Void

  func makeNode(in scope: Scope) -> ErrorNode { ErrorNode(handler) }

  func update(_ node: ErrorNode) -> Bool {
    node.own.setHandle(handler)
    return false
  }
}

private final class ErrorNode: LifecycleNode {
  let own: ErrorHandler

  init(_ handle: @escaping (any Error) throws -> Void) { own = ErrorHandler(handle) }

  override var errorHandler: ErrorHandler? { own }

  override func end() -> (() throws -> Void)? {
    own.setHandle(nil)
    return nil
  }
}

extension ViewHost {
  /// Runs an intent as one transaction, or as a savepoint of the one under way.
  ///
  /// - Parameter label: The label of its undo step.
  func runIntent(label: String? = nil, _ intent: () throws -> Void) throws {
    try Node.withoutReader {
      let isNested = store.transaction != nil || ImplicitTransaction.isUnderWay
      try CurrentActor.run(on: currentActor) {
        if isNested {
          try store.write(label: label, intent)
        } else {
          try ImplicitTransaction.run(label: label, intent)
        }
      }
    }
  }

  /// Runs an intent whose errors no caller gets.
  func runReporting(to handler: ErrorHandler?, _ intent: () throws -> Void) {
    do { try runIntent(intent) } catch { reportToAnyone(error, nearest: handler) }
  }

  /// Passes on an error that no caller gets; without any handler it is written to standard error.
  func reportToAnyone(_ error: any Error, nearest handler: ErrorHandler?) {
    if !report(error, to: handler) { ViewHost.reportUnhandled(error) }
  }

  /// Passes an error to the nearest handler; returns false if there is neither a handler nor
  /// `onError`.
  @discardableResult
  func report(_ error: any Error, to nearest: ErrorHandler?) -> Bool {
    // The fields on screen already show everything that is wrong.
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

  /// Writes an error to standard error that neither a handler nor a caller gets.
  static func reportUnhandled(_ error: any Error) {
    writeToStandardError("Signals: no onError gets what a view's intent threw: \(error)\n")
  }
}
