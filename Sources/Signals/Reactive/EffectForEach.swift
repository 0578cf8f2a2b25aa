// Effects for each element of a changing collection.

extension Effect {
  /// Runs `body` once for each element of a collection, now and as elements are inserted, in an
  /// effect scope that ends when the element is removed.
  ///
  /// - The collection is read in an effect; it can be results, a list of an object, or any
  ///   expression that reads some. Elements are identified by equality. An element that is in the
  ///   collection twice has two scopes.
  /// - Reads in `body` aren't dependencies; the effects that it creates do the reading. They are
  ///   owned by the element's scope, and so are closures given to ``onCleanup(file:line:_:)``.
  /// - Owners run first: when a commit removes an element, its scope ends before any of its effects
  ///   would run, so that no effect runs for a removed object. If an effect removes the element,
  ///   the effects that were due together with that effect run before the scope ends. An element
  ///   that is inserted again gets a new scope.
  /// - Moves change nothing. Observers of the collection, which run after effects, are notified of
  ///   the order.
  ///
  /// ```swift
  /// let rows = Effect.forEach(store.results(Book.self)) { book in
  ///   let label = Label()
  ///   labels[book] = label
  ///   _ = Effect { label.text = book.title }
  ///   onCleanup { labels[book] = nil }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - elements: The collection; evaluated again after each change of a value that it reads.
  ///   - name: The effect's name in messages; by default, the place in the source.
  ///   - file: The file of the call.
  ///   - line: The line of the call.
  ///   - body: Called with each element, initially and when one is inserted.
  /// - Returns: The effect that owns the scopes. They end when it is cancelled or released.
  /// - Complexity: O(*n*) for each change of a collection of *n* elements.
  public static func forEach<Elements: Sequence>(
    _ elements: @autoclosure @escaping () -> Elements, name: String? = nil,
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping (Elements.Element) -> Void
  ) -> Effect where Elements.Element: Hashable {
    let scopes = ElementScopes<Elements.Element>()
    return Effect(name: name, file: file, line: line) {
      let present = Array(elements())
      untracked { Owner.withoutOwner { scopes.update(to: present, body) } }
    }
  }
}

/// The scopes of the elements of a collection.
///
/// Only the effect's closure touches them. The scopes end when it is released.
private final class ElementScopes<Element: Hashable> {
  /// The scopes, in the order of the elements.
  private var entries: [(element: Element, scope: EffectScope)] = []

  func update(to elements: [Element], _ body: (Element) -> Void) {
    var known: [Element: [EffectScope]] = [:]
    for entry in entries.reversed() { known[entry.element, default: []].append(entry.scope) }
    let scopes = elements.map { known[$0]?.popLast() }
    let kept = Set(scopes.lazy.compactMap { $0.map(ObjectIdentifier.init) })
    for entry in entries.reversed() where !kept.contains(ObjectIdentifier(entry.scope)) {
      entry.scope.cancel()
    }
    entries = zip(elements, scopes).map { element, scope in
      (element, scope ?? EffectScope { body(element) })
    }
  }

  deinit { for entry in entries.reversed() { entry.scope.cancel() } }
}
