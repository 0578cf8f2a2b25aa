// Immutable view models: values made from an object, for views that shouldn't hold objects.

/// A value sent by `viewModels(of:primaryKey:_:)` of a ``Store``.
public enum ViewModelUpdate<Model> {
  /// The current view model.
  case value(Model)
  /// There is currently no object with that primary key; a value follows when there is one.
  case invalidated

  /// The view model; nil for ``invalidated``.
  public var model: Model? {
    if case .value(let model) = self { return model }
    return nil
  }
}

extension ViewModelUpdate: Sendable where Model: Sendable {}
extension ViewModelUpdate: Equatable where Model: Equatable {}

extension Store {
  /// Publishes the view model of the object with a primary key: the current one, then a new one
  /// whenever one of the dependencies of `make` has changed.
  ///
  /// - `make` may read any objects and signals, and runs at most once per commit; it must not
  ///   write. Its values are `Sendable`.
  /// - When the object is deleted, the publisher sends ``ViewModelUpdate/invalidated``. When an
  ///   object with that key exists again, it sends a value again. If there is none at the
  ///   beginning, it immediately sends ``ViewModelUpdate/invalidated``.
  /// - Values are delivered after the commit, after effects, in order, one at a time, and
  ///   coalesced.
  /// - A subscription keeps neither the object nor the store alive. The deallocation of the store
  ///   isn't reported.
  ///
  /// ```swift
  /// struct BookCard: Sendable {
  ///   let title: String
  ///   init(_ book: Book) { title = book.title }
  /// }
  /// let token = store.viewModels(of: Book.self, primaryKey: isbn, BookCard.init).sink { update in
  ///   print(update.model?.title ?? "gone")
  /// }
  /// ```
  public func viewModels<Element: Object, Key: FieldValue & Hashable, Model: Sendable>(
    of type: Element.Type, primaryKey: Key, _ make: @escaping (Element) -> Model
  ) -> some Publisher<ViewModelUpdate<Model>, Never> {
    updates(of: type, primaryKey, make) { _, _ in false }
  }

  /// Publishes the view model of the object with a primary key, skipping view models that equal the
  /// last one.
  ///
  /// Apart from that it behaves as for a view model that isn't `Equatable`.
  public func viewModels<Element: Object, Key: FieldValue & Hashable, Model: Sendable & Equatable>(
    of type: Element.Type, primaryKey: Key, _ make: @escaping (Element) -> Model
  ) -> some Publisher<ViewModelUpdate<Model>, Never> {
    updates(of: type, primaryKey, make, isEqual: ==)
  }

  private func updates<Element: Object, Key: FieldValue & Hashable, Model: Sendable>(
    of type: Element.Type, _ key: Key, _ make: @escaping (Element) -> Model,
    isEqual: @escaping (Model, Model) -> Bool
  ) -> some Publisher<ViewModelUpdate<Model>, Never> {
    Computed(
      isEqual: { (old: ViewModelUpdate<Model>, new) in
        switch (old, new) {
        case (.invalidated, .invalidated): true
        case (.value(let old), .value(let new)): isEqual(old, new)
        default: false
        }
      }
    ) { [weak self] in
      guard let object = self?.object(type, primaryKey: key) else { return .invalidated }
      return .value(make(object))
    }.publisher
  }
}
