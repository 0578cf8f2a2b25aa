// Running the intents of elements and keys.
//
// Order of events of a synchronous intent: the entered value is noted, the observers are notified,
// the intent runs as a transaction, an error goes to its handlers, and the observers are notified
// again. Then a frame shows whether the entered value was accepted. See AsyncIntents.swift for
// asynchronous intents.

extension ViewHost {
  /// Runs the intent of an element or a key as one transaction, and makes the frame.
  ///
  /// If the intent throws, all its writes to stores are undone. The error goes to the nearest
  /// ``ElementContent/onError(_:)`` around the element, or else to ``onError``, and is then thrown
  /// to the caller.
  ///
  /// The intent's step in the undo history is labeled with the element's title, unless a `write` in
  /// the intent gives another label.
  ///
  /// ```swift
  /// try host.perform("save")
  /// try host.perform("name", with: .text("Emma"))
  /// try host.perform(.key("d"))
  /// ```
  ///
  /// - Parameters:
  ///   - element: The element or key. A string literal refers to the element with that id.
  ///   - input: The input to the element. A key takes a tap only.
  /// - Throws: ``HostError`` if no such element or key is on screen; if it is ambiguous, disabled
  ///   or hidden; if it doesn't take the input; or if the intent is async. Otherwise the error of
  ///   the intent.
  /// - Complexity: O(elements on screen) to find an element by its id.
  public func perform(_ element: ElementReference, with input: ElementInput = .tap) throws {
    try perform(resolve(find(element), entering: input, called: .synchronous))
  }

  /// Starts the intent of an element or a key, without waiting for it if it is async.
  ///
  /// An async intent runs under the rules of ``performAsync(_:with:)``. It is cancelled when the
  /// host is released, and its errors only go to the handlers. Any other intent is performed as by
  /// ``perform(_:with:)``.
  ///
  /// - Parameters:
  ///   - element: The element or key. A string literal refers to the element with that id.
  ///   - input: The input to the element. A key takes a tap only.
  /// - Throws: ``HostError/needsActor(_:)`` if the intent is async and the host wasn't made on an
  ///   actor; otherwise the errors of ``perform(_:with:)``, except those that an async intent
  ///   throws.
  public func start(_ element: ElementReference, with input: ElementInput = .tap) throws {
    try perform(resolve(find(element), entering: input, called: .started))
  }

  /// Starts the intent of an element of the frame on screen whose scope is known.
  ///
  /// - Throws: ``HostError/gone(_:)`` if the scope doesn't show the element any more; otherwise as
  ///   ``start(_:with:)``.
  /// - Complexity: O(elements of the scope), plus O(depth).
  package func start(
    _ element: DrawnElement, in scope: ScopeID, with input: ElementInput
  ) throws {
    try perform(resolve(find(element, in: scope), entering: input, called: .started))
  }

  /// Starts the intent that a key is bound to in a scope, if there is one.
  ///
  /// - Throws: As ``start(_:with:)``.
  package func start(_ key: KeyPress, in scope: ScopeID) throws {
    let bindings = frame.bindings(of: key)
    guard let binding = bindings.first(where: { $0.scope == scope && $0.isEnabled }) else { return }
    try perform(resolve(.key(binding), with: .tap, called: .started))
  }

  /// Runs the intent of an element or a key, which may be async, and waits for it.
  ///
  /// - Each write between two awaits of an async intent is a separate commit.
  /// - If the host has an actor, an async intent runs there in a separate task. Intents may
  ///   overlap; ``IntentOverlap`` says what happens to two runs of the same intent. The intent is
  ///   cancelled by ``cancelIntents(_:)``, and with the caller's task.
  /// - Without an actor, async intents run in the caller's task, one at a time.
  /// - An error goes to the nearest ``ElementContent/onError(_:)``, or else to ``onError``, unless
  ///   the intent was cancelled. It is then thrown to the caller in any case.
  ///
  /// - Parameters:
  ///   - element: The element or key. A string literal refers to the element with that id.
  ///   - input: The input to the element. A key takes a tap only.
  /// - Throws: ``HostError/busy(_:)`` if the host has no actor and another async intent is under
  ///   way; otherwise the errors of ``perform(_:with:)``.
  public nonisolated(nonsending) func performAsync(
    _ element: ElementReference, with input: ElementInput = .tap
  ) async throws {
    try await performAsync(resolve(find(element), entering: input, called: .awaited))
  }

  /// Runs an intent that has no element, such as one of a timer or a message from elsewhere.
  ///
  /// It is one transaction, as for an element; ``onError`` gets the errors. Within another intent,
  /// an observer or a transaction, the intent is part of that, as a savepoint of the host's store.
  ///
  /// - Parameters:
  ///   - name: The name of the intent in its ``IntentEvent``, and the label of its undo step.
  ///   - intent: The intent, which may throw.
  /// - Throws: The error of the intent.
  public func perform(named name: String? = nil, _ intent: () throws -> Void) throws {
    try run(intent, label: name, handler: nil, event: IntentEvent(name: name ?? "an intent"))
  }

  /// Runs an intent that was resolved for `perform` or `start`; an async one is started.
  package func perform(_ resolved: ResolvedIntent) throws {
    switch resolved.action {
    case .synchronous(let intent): try run(intent, of: resolved)
    case .asynchronous(let intent, _): try start(intent, of: resolved)
    }
  }

  /// Runs an intent that was resolved for `performAsync`, and waits for it.
  package nonisolated(nonsending) func performAsync(_ resolved: ResolvedIntent) async throws {
    switch resolved.action {
    case .synchronous(let intent): try run(intent, of: resolved)
    case .asynchronous(let intent, _): try await perform(intent, of: resolved)
    }
  }

  /// Resolves an intent; if the input is refused, a frame shows the element's own value again.
  private func resolve(
    _ source: IntentSource, entering input: ElementInput, called call: IntentCall
  ) throws -> ResolvedIntent {
    do { return try resolve(source, with: input, called: call) } catch {
      note(input, to: source)
      showEntered()
      throw error
    }
  }

  private func run(_ intent: () throws -> Void, of resolved: ResolvedIntent) throws {
    note(resolved.input, to: resolved.source)
    // Whatever the outcome, the entered value may differ from the value of the element.
    defer { showEntered() }
    let source = resolved.source
    try run(intent, label: source.label, handler: source.handler, event: resolved.event)
  }

  private func run(
    _ intent: () throws -> Void, label: String?, handler: ErrorHandler?,
    event: @autoclosure () -> IntentEvent
  ) throws {
    Node.checkMayWrite("by an intent")
    let observed = willPerform(event(), kind: .intent)
    do { try runIntent(label: label, intent) } catch {
      report(error, to: handler)
      didPerform(observed, throwing: error)
      throw error
    }
    didPerform(observed, throwing: nil)
  }
}
