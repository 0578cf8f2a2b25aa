// Bindings to lists of objects: `$library.members.append(member)`.

extension Binding {
  /// Appends an object to the list, as one commit.
  public func append<Element: Object>(_ object: Element) where Value == List<Element> {
    edit { $0.append(object) }
  }

  /// Removes the first occurrence of an object from the list, and does nothing if there is none.
  public func remove<Element: Object>(_ object: Element) where Value == List<Element> {
    edit { $0.remove(object) }
  }

  /// Removes from the list the objects that stand at `offsets` in `shown`, as one commit.
  ///
  /// Give `shown` where the list may have changed since it was on screen: a copy of the list that the body
  /// took, which costs nothing. Then what was removed since is passed over; of an object that stands there
  /// several times the nearest occurrence goes. Without it, offsets are those of the present list. Offsets
  /// outside of it trap.
  ///
  /// ```swift
  /// let members = library.members
  /// ForEach(members) { Text($0.name) }
  /// Button("Remove the first") { $library.members.remove(atOffsets: [0], in: members) }
  /// ```
  public func remove<Element: Object>(
    atOffsets offsets: some Sequence<Int>, in shown: List<Element>? = nil
  ) where Value == List<Element> {
    edit { list in
      list.remove(atOffsets: list.places(of: Set(offsets), in: shown))
    }
  }

  /// Moves in the list the objects that stand at `offsets` in `shown`, before the one that stands there at
  /// `destination`, as one commit.
  ///
  /// `shown` is as for ``remove(atOffsets:in:)``. If the object at `destination` has gone since, the next one
  /// that is still there stands for it, and the end if there is none.
  public func move<Element: Object>(
    fromOffsets offsets: some Sequence<Int>, toOffset destination: Int,
    in shown: List<Element>? = nil
  ) where Value == List<Element> {
    edit { list in
      let old = shown ?? list
      if destination < 0 || destination > old.count {
        trap(
          "List<\(Element.self)>: destination \(destination) is outside of a list of \(old.count)")
      }
      let moving = Set(offsets)
      let places = list.places(of: moving, in: shown)
      var target = destination
      if shown != nil {
        let next = (destination..<old.count).first { place in
          !moving.contains(place) && list.place(of: old[place], near: place) != nil
        }
        target = next.flatMap { list.place(of: old[$0], near: $0) } ?? list.count
      }
      list.move(fromOffsets: places, toOffset: target)
    }
  }

  private func edit<Element: Object>(_ edit: (inout List<Element>) -> Void)
  where Value == List<Element> {
    var list = untracked { get() }
    edit(&list)
    set(list)
  }
}

extension List {
  /// Where the elements are now that stood at some offsets of an older version; the same without one.
  fileprivate func places(of offsets: Set<Int>, in shown: List?) -> [Int] {
    guard let shown else { return offsets.sorted() }
    var places: Set<Int> = []
    for offset in offsets.sorted() {
      if offset < 0 || offset >= shown.count {
        trap("offset \(offset) is outside of the \(shown.count) rows of \(Element.self) on screen")
      }
      if let place = place(of: shown[offset], near: offset, but: places) { places.insert(place) }
    }
    return places.sorted()
  }

  /// The occurrence of an element that is nearest to a place; nil if there is none left.
  fileprivate func place(of element: Element, near place: Int, but taken: Set<Int> = []) -> Int? {
    if place < count, self[place] === element, !taken.contains(place) { return place }
    return indices.filter { self[$0] === element && !taken.contains($0) }
      .min { abs($0 - place) < abs($1 - place) }
  }
}
