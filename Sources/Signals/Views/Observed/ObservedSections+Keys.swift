// Declarations of sections: by a property or a computed key, ordered by key or by first row.

extension ObservedSections {
  private static func base(
    _ type: Element.Type, _ sorts: [RowSort<Element>], _ isIncluded: ((Element) -> Bool)?
  ) -> (Store) -> Query {
    { store in
      let results = store.results(type).sorted(by: sorts)
      return (isIncluded.map { results.where($0) } ?? results).query
    }
  }

  /// Observes a class in sections by a property, ordered by that property.
  public init(
    _ type: Element.Type, by path: KeyPath<Element, Key>, order: SectionOrder = .ascending,
    sortedBy sorts: RowSort<Element>..., limit: Int? = nil,
    where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil
  ) where Key: Comparable {
    self.init(store, limit, Self.base(type, sorts, isIncluded)) {
      Results<Element>(query: $0).sectioned(by: path, order: order)
    }
  }

  /// Observes a class in sections by an optional property, ordered by that property.
  ///
  /// Nil has its own section.
  public init<Value: Comparable & Hashable>(
    _ type: Element.Type, by path: KeyPath<Element, Value?>, order: SectionOrder = .ascending,
    sortedBy sorts: RowSort<Element>..., limit: Int? = nil,
    where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil
  ) where Key == Value? {
    self.init(store, limit, Self.base(type, sorts, isIncluded)) {
      Results<Element>(query: $0).sectioned(by: path, order: order)
    }
  }

  /// Observes a class in sections by a property that isn't `Comparable`.
  ///
  /// Sections are ordered by their first row.
  @_disfavoredOverload
  public init(
    _ type: Element.Type, by path: KeyPath<Element, Key>, sortedBy sorts: RowSort<Element>...,
    limit: Int? = nil, where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil
  ) {
    self.init(store, limit, Self.base(type, sorts, isIncluded)) {
      Results<Element>(query: $0).sectioned(by: path)
    }
  }

  /// Observes a class in sections by a computed key, ordered by that key.
  public init(
    _ type: Element.Type, order: SectionOrder = .ascending, sortedBy sorts: RowSort<Element>...,
    limit: Int? = nil, where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil,
    by key: @escaping (Element) -> Key
  ) where Key: Comparable {
    self.init(store, limit, Self.base(type, sorts, isIncluded)) {
      Results<Element>(query: $0).sectioned(order: order, by: key)
    }
  }

  /// Observes a class in sections by an optional computed key, ordered by that key.
  ///
  /// Nil has its own section.
  public init<Value: Comparable & Hashable>(
    _ type: Element.Type, order: SectionOrder = .ascending, sortedBy sorts: RowSort<Element>...,
    limit: Int? = nil, where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil,
    by key: @escaping (Element) -> Value?
  ) where Key == Value? {
    self.init(store, limit, Self.base(type, sorts, isIncluded)) {
      Results<Element>(query: $0).sectioned(order: order, by: key)
    }
  }

  /// Observes a class in sections by a computed key that isn't `Comparable`.
  ///
  /// Sections are ordered by their first row.
  @_disfavoredOverload
  public init(
    _ type: Element.Type, sortedBy sorts: RowSort<Element>..., limit: Int? = nil,
    where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil,
    by key: @escaping (Element) -> Key
  ) {
    self.init(store, limit, Self.base(type, sorts, isIncluded)) {
      Results<Element>(query: $0).sectioned(by: key)
    }
  }
}
