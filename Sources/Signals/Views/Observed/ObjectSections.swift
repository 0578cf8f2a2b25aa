// How sections of objects are declared: by a property or a key, sorted by several properties, one, or an optional one.

extension ObservedSections where Element: Object {
  private static func base(
    _ sorts: [RowSort<Element>], _ isIncluded: ((Element) -> Bool)?
  ) -> (Store) -> Query {
    { store in
      let results = store.results(Element.self).sorted(by: sorts)
      return (isIncluded.map { results.where($0) } ?? results).query
    }
  }

  /// Observes a class by a property, in its order.
  public init(
    _ type: Element.Type, by path: KeyPath<Element, Key>, order: SectionOrder = .ascending,
    sortedBy sorts: [RowSort<Element>] = [], limit: Int? = nil,
    where isIncluded: ((Element) -> Bool)? = nil,
    in store: Store? = nil
  ) where Key: Comparable {
    self.init(store, limit, Self.base(sorts, isIncluded)) {
      Results<Element>(query: $0).sectioned(by: path, order: order)
    }
  }

  /// Observes a class by a property, in its order, each section sorted by one.
  public init<Sort: Comparable>(
    _ type: Element.Type, by path: KeyPath<Element, Key>, order: SectionOrder = .ascending,
    sortedBy sort: KeyPath<Element, Sort>, limit: Int? = nil,
    where isIncluded: ((Element) -> Bool)? = nil,
    in store: Store? = nil
  ) where Key: Comparable {
    self.init(store, limit, Self.base([RowSort(sort, .ascending)], isIncluded)) {
      Results<Element>(query: $0).sectioned(by: path, order: order)
    }
  }

  /// Observes a class by a property, in its order, each section sorted by an optional one.
  public init<Sort: Comparable>(
    _ type: Element.Type, by path: KeyPath<Element, Key>, order: SectionOrder = .ascending,
    sortedBy sort: KeyPath<Element, Sort?>, limit: Int? = nil,
    where isIncluded: ((Element) -> Bool)? = nil,
    in store: Store? = nil
  ) where Key: Comparable {
    self.init(store, limit, Self.base([RowSort(sort, .ascending)], isIncluded)) {
      Results<Element>(query: $0).sectioned(by: path, order: order)
    }
  }

  /// Observes a class by an optional property, nil being a section.
  public init<Value: Comparable & Hashable>(
    _ type: Element.Type, by path: KeyPath<Element, Value?>, order: SectionOrder = .ascending,
    sortedBy sorts: [RowSort<Element>] = [], limit: Int? = nil,
    where isIncluded: ((Element) -> Bool)? = nil,
    in store: Store? = nil
  ) where Key == Value? {
    self.init(store, limit, Self.base(sorts, isIncluded)) {
      Results<Element>(query: $0).sectioned(by: path, order: order)
    }
  }

  /// Observes a class by an optional property, nil being a section, each section sorted by one.
  public init<Value: Comparable & Hashable, Sort: Comparable>(
    _ type: Element.Type, by path: KeyPath<Element, Value?>, order: SectionOrder = .ascending,
    sortedBy sort: KeyPath<Element, Sort>, limit: Int? = nil,
    where isIncluded: ((Element) -> Bool)? = nil,
    in store: Store? = nil
  ) where Key == Value? {
    self.init(store, limit, Self.base([RowSort(sort, .ascending)], isIncluded)) {
      Results<Element>(query: $0).sectioned(by: path, order: order)
    }
  }

  /// Observes a class by an optional property, nil being a section, each section sorted by an optional one.
  public init<Value: Comparable & Hashable, Sort: Comparable>(
    _ type: Element.Type, by path: KeyPath<Element, Value?>, order: SectionOrder = .ascending,
    sortedBy sort: KeyPath<Element, Sort?>, limit: Int? = nil,
    where isIncluded: ((Element) -> Bool)? = nil,
    in store: Store? = nil
  ) where Key == Value? {
    self.init(store, limit, Self.base([RowSort(sort, .ascending)], isIncluded)) {
      Results<Element>(query: $0).sectioned(by: path, order: order)
    }
  }

  /// Observes a class by a key made of each.
  public init(
    _ type: Element.Type, order: SectionOrder = .ascending, sortedBy sorts: [RowSort<Element>] = [],
    limit: Int? = nil, where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil,
    by key: @escaping (Element) -> Key
  ) where Key: Comparable {
    self.init(store, limit, Self.base(sorts, isIncluded)) {
      Results<Element>(query: $0).sectioned(order: order, by: key)
    }
  }

  /// Observes a class by a key made of each, each section sorted by one.
  public init<Sort: Comparable>(
    _ type: Element.Type, order: SectionOrder = .ascending, sortedBy sort: KeyPath<Element, Sort>,
    limit: Int? = nil, where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil,
    by key: @escaping (Element) -> Key
  ) where Key: Comparable {
    self.init(store, limit, Self.base([RowSort(sort, .ascending)], isIncluded)) {
      Results<Element>(query: $0).sectioned(order: order, by: key)
    }
  }

  /// Observes a class by a key made of each, each section sorted by an optional one.
  public init<Sort: Comparable>(
    _ type: Element.Type, order: SectionOrder = .ascending, sortedBy sort: KeyPath<Element, Sort?>,
    limit: Int? = nil, where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil,
    by key: @escaping (Element) -> Key
  ) where Key: Comparable {
    self.init(store, limit, Self.base([RowSort(sort, .ascending)], isIncluded)) {
      Results<Element>(query: $0).sectioned(order: order, by: key)
    }
  }

  /// Observes a class by an optional key made of each.
  public init<Value: Comparable & Hashable>(
    _ type: Element.Type, order: SectionOrder = .ascending, sortedBy sorts: [RowSort<Element>] = [],
    limit: Int? = nil, where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil,
    by key: @escaping (Element) -> Value?
  ) where Key == Value? {
    self.init(store, limit, Self.base(sorts, isIncluded)) {
      Results<Element>(query: $0).sectioned(order: order, by: key)
    }
  }

  /// Observes a class by an optional key made of each, each section sorted by one.
  public init<Value: Comparable & Hashable, Sort: Comparable>(
    _ type: Element.Type, order: SectionOrder = .ascending, sortedBy sort: KeyPath<Element, Sort>,
    limit: Int? = nil, where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil,
    by key: @escaping (Element) -> Value?
  ) where Key == Value? {
    self.init(store, limit, Self.base([RowSort(sort, .ascending)], isIncluded)) {
      Results<Element>(query: $0).sectioned(order: order, by: key)
    }
  }

  /// Observes a class by an optional key made of each, each section sorted by an optional one.
  public init<Value: Comparable & Hashable, Sort: Comparable>(
    _ type: Element.Type, order: SectionOrder = .ascending, sortedBy sort: KeyPath<Element, Sort?>,
    limit: Int? = nil, where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil,
    by key: @escaping (Element) -> Value?
  ) where Key == Value? {
    self.init(store, limit, Self.base([RowSort(sort, .ascending)], isIncluded)) {
      Results<Element>(query: $0).sectioned(order: order, by: key)
    }
  }

  /// Observes a class by a property without an order, by first rows.
  @_disfavoredOverload
  public init(
    _ type: Element.Type, by path: KeyPath<Element, Key>, sortedBy sorts: [RowSort<Element>] = [],
    limit: Int? = nil, where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil
  ) {
    self.init(store, limit, Self.base(sorts, isIncluded)) {
      Results<Element>(query: $0).sectioned(by: path)
    }
  }

  /// Observes a class by a property without an order, by first rows, each section sorted by one.
  @_disfavoredOverload
  public init<Sort: Comparable>(
    _ type: Element.Type, by path: KeyPath<Element, Key>, sortedBy sort: KeyPath<Element, Sort>,
    limit: Int? = nil, where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil
  ) {
    self.init(store, limit, Self.base([RowSort(sort, .ascending)], isIncluded)) {
      Results<Element>(query: $0).sectioned(by: path)
    }
  }

  /// Observes a class by a property without an order, by first rows, each section sorted by an optional one.
  @_disfavoredOverload
  public init<Sort: Comparable>(
    _ type: Element.Type, by path: KeyPath<Element, Key>, sortedBy sort: KeyPath<Element, Sort?>,
    limit: Int? = nil, where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil
  ) {
    self.init(store, limit, Self.base([RowSort(sort, .ascending)], isIncluded)) {
      Results<Element>(query: $0).sectioned(by: path)
    }
  }

  /// Observes a class by a key without an order, by first rows.
  @_disfavoredOverload
  public init(
    _ type: Element.Type, sortedBy sorts: [RowSort<Element>] = [],
    limit: Int? = nil, where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil,
    by key: @escaping (Element) -> Key
  ) {
    self.init(store, limit, Self.base(sorts, isIncluded)) {
      Results<Element>(query: $0).sectioned(by: key)
    }
  }

  /// Observes a class by a key without an order, by first rows, each section sorted by one.
  @_disfavoredOverload
  public init<Sort: Comparable>(
    _ type: Element.Type, sortedBy sort: KeyPath<Element, Sort>,
    limit: Int? = nil, where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil,
    by key: @escaping (Element) -> Key
  ) {
    self.init(store, limit, Self.base([RowSort(sort, .ascending)], isIncluded)) {
      Results<Element>(query: $0).sectioned(by: key)
    }
  }

  /// Observes a class by a key without an order, by first rows, each section sorted by an optional one.
  @_disfavoredOverload
  public init<Sort: Comparable>(
    _ type: Element.Type, sortedBy sort: KeyPath<Element, Sort?>,
    limit: Int? = nil, where isIncluded: ((Element) -> Bool)? = nil, in store: Store? = nil,
    by key: @escaping (Element) -> Key
  ) {
    self.init(store, limit, Self.base([RowSort(sort, .ascending)], isIncluded)) {
      Results<Element>(query: $0).sectioned(by: key)
    }
  }
}
