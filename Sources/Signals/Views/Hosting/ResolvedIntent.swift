// Checking that an input can run an intent, and which one.
//
// Order of events: a reference is found on screen, the intent is resolved, and then it runs. All
// errors that are refusals of the host are thrown before it runs; later ones are the intent's own.

/// The element or key binding on screen that an intent belongs to.
enum IntentSource {
  case element(FoundElement)
  case key(KeyBinding)

  /// The name in errors and in ``ViewHost/busyIntents``.
  var id: String {
    switch self {
    case .element(let found): found.element.id ?? found.element.name
    case .key(let binding): binding.name
    }
  }

  /// The label of the undo step; nil if there is none.
  var label: String? {
    guard case .element(let found) = self, !found.element.text.isEmpty else { return nil }
    return found.element.text
  }

  /// The effect of another run; nil for a synchronous intent.
  fileprivate var overlap: IntentOverlap? {
    switch self {
    case .element(let found):
      if case .asyncTap(_, let overlap) = found.element.action { overlap } else { nil }
    case .key(let binding): binding.action.overlap
    }
  }

  /// The place of the element, or of the key in the scope that binds it.
  ///
  /// - Complexity: O(elements of the scope) for an element.
  func place(on host: ViewHost) -> ElementLocation? {
    switch self {
    case .element(let found): found.location(on: host)
    case .key(let binding):
      binding.scope.map { ElementLocation(scope: $0, name: binding.placeName) }
    }
  }

  var handler: ErrorHandler? {
    switch self {
    case .element(let found): found.element.handler
    case .key(let binding): binding.handler
    }
  }

  /// The refusal to wait for an async intent.
  fileprivate var asyncRefusal: HostError {
    switch self {
    case .element: .asyncIntent(id)
    case .key(let binding): .asyncKey(binding.key)
    }
  }
}

/// An intent that was found on screen, with the input that it gets.
package struct ResolvedIntent {
  let source: IntentSource
  let input: ElementInput
  let action: IntentAction

  /// The intent as observers see it.
  var event: IntentEvent {
    switch source {
    case .element(let found):
      IntentEvent(name: found.element.name, element: found.element, input: input)
    case .key(let binding): IntentEvent(name: binding.name, input: .key(binding.key))
    }
  }
}

/// The code of an intent, with the input filled in.
enum IntentAction {
  case synchronous(() throws -> Void)
  case asynchronous(AsyncIntent, overlap: IntentOverlap)

  /// The effect of another run; nil for a synchronous intent.
  var overlap: IntentOverlap? {
    if case .asynchronous(_, let overlap) = self { overlap } else { nil }
  }
}

/// The way in which an intent is called.
package enum IntentCall {
  /// By `perform`.
  case synchronous
  /// By `performAsync`.
  case awaited
  /// By `start`.
  case started
}

extension ViewHost {
  /// Returns the intent that an input runs, without running it.
  ///
  /// - Throws: ``HostError`` if there is no such element or key, or if it can't take the input when
  ///   it is called in this way.
  package func resolve(
    _ reference: ElementReference, with input: ElementInput, called call: IntentCall
  ) throws -> ResolvedIntent {
    try resolve(find(reference), with: input, called: call)
  }

  func resolve(
    _ source: IntentSource, with input: ElementInput, called call: IntentCall
  ) throws -> ResolvedIntent {
    if source.overlap == .refused, let place = source.place(on: self), intents.isUnderWay(place) {
      throw HostError.underWay(source.id)
    }
    let action =
      switch source {
      case .element(let found): try action(of: found.element, named: source.id, for: input)
      case .key(let binding): try binding.action(for: input)
      }
    if case .asynchronous = action {
      switch call {
      case .synchronous: throw source.asyncRefusal
      case .awaited: if isolation == nil, !intents.isEmpty { throw HostError.busy(source.id) }
      case .started:
        if isolation == nil, onHeldIntent == nil { throw HostError.needsActor(intent: source.id) }
      }
    }
    return ResolvedIntent(source: source, input: input, action: action)
  }

  private func action(
    of element: DrawnElement, named id: String, for input: ElementInput
  ) throws -> IntentAction {
    guard element.isEnabled else { throw HostError.disabled(id) }
    switch (element.action, input) {
    case (.tap(let intent), .tap): return .synchronous(intent)
    case (.asyncTap(let intent, let overlap), .tap):
      return .asynchronous(intent, overlap: overlap)
    case (.open(let address), .tap):
      return .synchronous { [addressState] in addressState.change { $0.open(address) } }
    case (.text(let intent), .text(let text)): return .synchronous { try intent(text) }
    case (.flag(let intent), .flag(let flag)): return .synchronous { try intent(flag) }
    case (.flag(let intent), .tap):
      guard case .flag(let isOn) = element.value else { break }
      return .synchronous { try intent(!isOn) }
    case (.choice(let intent), .choice(let option)):
      guard case .choice(_, let options) = element.value else { break }
      guard options.contains(where: { $0.id == option }) else {
        throw HostError.noOption(id, option: option, options: options.map(\.description))
      }
      return .synchronous { try intent(option) }
    case (_, .submit):
      if let submit = element.submit { return .synchronous(submit) }
    case (_, .move(let offsets, let destination)):
      guard let move = element.move else { break }
      let count = frame.rowCount(in: element.children)
      if let wrong = offsets.first(where: { $0 < 0 || $0 >= count })
        ?? (destination < 0 || destination > count ? destination : nil)
      {
        throw HostError.noRow(id, offset: wrong, count: count)
      }
      return .synchronous { try move(offsets, destination) }
    default: break
    }
    throw HostError.wrongInput(id, kind: element.kind, input)
  }
}

extension HostError {
  static func needsActor(intent id: String) -> HostError {
    .needsActor("the intent of \"\(id)\"")
  }
}

extension DrawnElement {
  /// The name of the element in messages and logs.
  package var name: String { text.isEmpty ? kind.name : "\(kind) \(text.debugDescription)" }
}

extension Frame {
  /// Returns the number of rows in the given elements: the drawn elements, and the rows of each
  /// `ForEach`.
  package func rowCount(in elements: [Element]) -> Int {
    elements.reduce(0) { count, element in
      switch element.content {
      // An element that only adds a look isn't a row.
      case .drawn(let drawn) where drawn.kind == .modified: count + rowCount(in: drawn.children)
      case .drawn: count + 1
      case .scope(let scope):
        count + (rows(of: scope)?.count ?? rowCount(in: self.elements(of: scope)))
      case nil: count
      }
    }
  }

  /// Returns the offset of a row of a `ForEach` among the rows in the given elements, counted as by
  /// ``rowCount(in:)``.
  ///
  /// - Parameters:
  ///   - elements: The elements, such as the children of a list.
  ///   - find: Returns the position of the row among the rows of a `ForEach`; nil if it isn't there.
  /// - Returns: The offset; nil if `find` always returns nil.
  package func rowOffset(
    in elements: [Element], _ find: (_ owner: ScopeID, FrameRows) -> Int?
  ) -> Int? {
    var count = 0
    for element in elements {
      var found: Int?
      switch element.content {
      case .scope(let scope):
        if let rows = rows(of: scope) {
          found = find(scope, rows)
        } else {
          found = rowOffset(in: self.elements(of: scope), find)
        }
      case .drawn(let drawn) where drawn.kind == .modified:
        found = rowOffset(in: drawn.children, find)
      case .drawn, nil: break
      }
      if let found { return count + found }
      count += rowCount(in: [element])
    }
    return nil
  }
}
