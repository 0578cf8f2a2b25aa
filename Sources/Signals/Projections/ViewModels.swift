// Immutable view models: values made from an object, for those who want no object in their views.

/// What a feed of view models sends: see `viewModels(of:primaryKey:_:)` of a ``Store``.
public enum ViewModelUpdate<Model> {
  /// The view model as it is now.
  case value(Model)
  /// There is no object with that primary key now; a value comes again when there is.
  case invalidated

  /// The view model; nil if there is none.
  public var model: Model? {
    if case .value(let model) = self { return model }
    return nil
  }
}

extension ViewModelUpdate: Sendable where Model: Sendable {}
extension ViewModelUpdate: Equatable where Model: Equatable {}

extension Store {
  /// The view model of the object with a primary key: the present one, and a new one whenever something that
  /// `make` read has changed.
  ///
  /// - `make` may read anything of the graph and of signals, and runs at most once a commit; it must not
  ///   write. Its values can be sent anywhere.
  /// - When the object is deleted, ``ViewModelUpdate/invalidated`` comes, and a value again when there is an
  ///   object with that key again. If there is none at the beginning, that is said at once.
  /// - They are delivered after the commit, after effects, in order, one at a time, and coalesced.
  /// - A subscription keeps neither the object nor the store. Nobody is told when the store goes.
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

  /// The view model of the object with a primary key likewise, but one that equals the last is not sent.
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
