// Bindings to lists of objects: `$library.members.append(member)`.

extension Binding {
  /// Appends an object to the list, in one commit.
  public func append<Element: Object>(_ object: Element) where Value == List<Element> {
    edit { $0.append(object) }
  }

  /// Removes the first occurrence of an object from the list.
  ///
  /// Does nothing if the list doesn't contain it.
  public func remove<Element: Object>(_ object: Element) where Value == List<Element> {
    edit { $0.remove(object) }
  }

  /// Removes the objects at `offsets` from the list, in one commit.
  ///
  /// The offsets refer to `shown`, because the list may have changed since it was on screen. An
  /// object of `shown` that has been removed since is skipped. If the list contains an object
  /// several times, the occurrence nearest to its offset is removed. Offsets outside of `shown`
  /// trap.
  ///
  /// ```swift
  /// let members = library.members
  /// ForEach(members) { Text($0.name) }
  /// Button("Remove the first") { $library.members.remove(atOffsets: [0], in: members) }
  /// ```
  ///
  /// - Parameters:
  ///   - offsets: Offsets in `shown`.
  ///   - shown: A copy of the list taken in the body. Taking it costs nothing.
  public func remove<Element: Object>(
    atOffsets offsets: some Sequence<Int>, in shown: List<Element>
  ) where Value == List<Element> {
    edit { list in
      list.remove(atOffsets: list.places(of: Set(offsets), in: shown))
    }
  }

  /// Moves the objects at `offsets` before the object at `destination`, in one commit.
  ///
  /// `shown` has the meaning that it has in ``remove(atOffsets:in:)``. If the object at
  /// `destination` has been removed since, the objects are moved before the next one of `shown`
  /// that is still in the list, or to the end if there is none.
  ///
  /// - Parameters:
  ///   - offsets: Offsets in `shown`.
  ///   - destination: An offset in `shown`, or its count. Other values trap.
  ///   - shown: A copy of the list taken in the body.
  public func move<Element: Object>(
    fromOffsets offsets: some Sequence<Int>, toOffset destination: Int,
    in shown: List<Element>
  ) where Value == List<Element> {
    edit { list in
      if destination < 0 || destination > shown.count {
        trap(
          "destination \(destination) is outside of the \(shown.count) rows of \(Element.self) on "
            + "screen")
      }
      let moving = Set(offsets)
      let places = list.places(of: moving, in: shown)
      let next = (destination..<shown.count).first { place in
        !moving.contains(place) && list.place(of: shown[place], near: place) != nil
      }
      let target = next.flatMap { list.place(of: shown[$0], near: $0) } ?? list.count
      list.move(fromOffsets: places, toOffset: target)
    }
  }

  /// Use the form with `in:`, given the list that the body shows.
  @available(*, unavailable, message: "offsets are those of the list on screen: give it, `in:`")
  public func remove<Element: Object>(atOffsets offsets: some Sequence<Int>)
  where Value == List<Element> {}

  /// Use the form with `in:`, given the list that the body shows.
  @available(*, unavailable, message: "offsets are those of the list on screen: give it, `in:`")
  public func move<Element: Object>(
    fromOffsets offsets: some Sequence<Int>, toOffset destination: Int
  ) where Value == List<Element> {}

  private func edit<Element: Object>(_ edit: (inout List<Element>) -> Void)
  where Value == List<Element> {
    var list = untracked { get() }
    edit(&list)
    set(list)
  }
}

extension List {
  /// The current positions of the elements at offsets of an older version.
  fileprivate func places(of offsets: Set<Int>, in shown: List) -> [Int] {
    var places: Set<Int> = []
    for offset in offsets.sorted() {
      if offset < 0 || offset >= shown.count {
        trap("offset \(offset) is outside of the \(shown.count) rows of \(Element.self) on screen")
      }
      if let place = place(of: shown[offset], near: offset, but: places) { places.insert(place) }
    }
    return places.sorted()
  }

  /// The occurrence of an element that is nearest to a position; nil if there is none left.
  fileprivate func place(of element: Element, near place: Int, but taken: Set<Int> = []) -> Int? {
    if place < count, self[place] === element, !taken.contains(place) { return place }
    return indices.filter { self[$0] === element && !taken.contains($0) }
      .min { abs($0 - place) < abs($1 - place) }
  }
}
