// Effects for each element of a collection that changes.

extension Effect {
  /// Runs `body` once for each element of a collection, now and as elements come, in a scope of effects that ends
  /// when the element leaves.
  ///
  /// - The collection is read in an effect: results, a list of an object, or whatever reads some. An element is known
  ///   by its equality; an element that stands in the collection twice has two scopes.
  /// - What `body` reads is no dependency: the effects that it makes read what they show. They are owned by its scope,
  ///   and so is what it gives to ``onCleanup(file:line:_:)``.
  /// - Owners run first: when a commit takes an element out, its scope ends before any of its effects would run, so
  ///   that no effect runs for an object that is gone. Where it is an effect that takes the element out, those that
  ///   were due with that effect run before. An element that comes back gets a new scope.
  /// - Moves change nothing: order is what observers of the collection are told, after effects.
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
  ///   - elements: The collection; evaluated again after each change of what it reads.
  ///   - name: What messages call the effect; by default where it was made.
  ///   - file: The file of the call.
  ///   - line: The line of the call.
  ///   - body: Called with each element that comes.
  /// - Returns: The effect that owns the scopes; they end when it is cancelled or released.
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
/// State: `entries`, in the order of the elements. The effect alone touches them; they end with its closure.
private final class ElementScopes<Element: Hashable> {
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
