// Immutable view models: values made from an object, for views that shouldn't hold objects.

extension Store {
  /// Publishes the view model of the object with a primary key: the current one, then a new one
  /// whenever one of the dependencies of `make` has changed.
  ///
  /// - `make` may read any objects and signals, and runs at most once per commit; it must not
  ///   write. Its values are `Sendable`.
  /// - While there is no object with that key, the view model is nil: after the object is deleted,
  ///   and at the beginning if there is none yet.
  /// - Values are delivered after the commit, after effects, in order, one at a time, and
  ///   coalesced. View models that are `Equatable` and equal the last one are skipped.
  /// - A subscription keeps neither the object nor the store alive. The deallocation of the store
  ///   isn't reported.
  ///
  /// ```swift
  /// struct BookCard: Sendable {
  ///   let title: String
  ///   init(_ book: Book) { title = book.title }
  /// }
  /// let token = store.viewModels(of: Book.self, primaryKey: isbn, BookCard.init).sink { card in
  ///   print(card?.title ?? "gone")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - type: The class of the object.
  ///   - primaryKey: The primary key of the object.
  ///   - make: Makes the view model from the object.
  /// - Returns: A publisher of the view model, which is nil while there is no object.
  public func viewModels<Element: Object, Key: FieldValue & Hashable, Model: Sendable>(
    of type: Element.Type, primaryKey: Key, _ make: @escaping (Element) -> Model
  ) -> some Publisher<Model?, Never> {
    Computed(
      isEqual: { (old: Model?, new) in
        guard let old, let new else { return old == nil && new == nil }
        return ProjectedProperty.isSame(old, new)
      }
    ) { [weak self] in
      self?.object(type, primaryKey: primaryKey).map(make)
    }.publisher
  }
}
