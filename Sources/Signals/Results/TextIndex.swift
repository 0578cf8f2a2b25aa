// The words in the texts of the objects of a class.
//
// Conditions of the same class and properties share an index, which lives as long as one of them.
//
// Order of events: the first search enters all objects. An object that is added, changed or removed
// is noted by its slot, and a search tests the objects at noted slots by reading their texts; the
// other objects are found by their words. Once so many are noted that their tests would be felt, they
// are entered, which looks through all words.
//
// Invariant: for each slot that isn't noted, `slots` has the words of the object there.

private import CSignalsThread

/// An index of the words in some properties of the objects of a class and its subclasses.
final class TextIndex: TableObserver {
  struct Description: Hashable {
    let type: ObjectIdentifier
    let paths: [AnyKeyPath]
  }

  private let store: Store
  private let type: Object.Type
  private let description: Description
  private var classes: [TextIndexOfClass] = []
  private var isWatching = false

  init(of type: Object.Type, at description: Description, in store: Store) {
    (self.store, self.type, self.description) = (store, type, description)
  }

  deinit {
    for words in classes { words.table.remove(self) }
    SharedQueries.remove(description, of: store)
  }

  /// Whether the objects have been entered.
  var isComplete: Bool { classes.contains { $0.isComplete } }

  /// The number of different words, for tests.
  var wordCount: Int { classes.reduce(0) { $0 + $1.wordCount } }

  /// Finds the objects in whose texts all terms are.
  ///
  /// - Returns: The slots of the objects of each class, or nil for a class that inherits one of the
  ///   properties, because it may override it. Nil if no class declares all of them.
  func find(_ terms: [SearchTerm], for query: Query) -> [(table: ObjectTable, slots: [Int32]?)]? {
    // A text may be half changed, and its reader has to be stopped.
    if signals_is_changing_property() { return nil }
    if !isWatching {
      isWatching = true
      store.tables(covering: type).forEach(watch)
    }
    let searched = classes.filter { $0.table.count > 0 }
    let fields = searched.map { $0.fields(at: description.paths) }
    if !searched.isEmpty, fields.allSatisfy({ $0 == nil }) { return nil }
    return zip(searched, fields).map { words, fields in
      guard let fields else { return (words.table, nil) }
      for field in fields { query.dependencies.learn(field.offset) }
      return (words.table, words.find(terms, in: fields))
    }
  }

  private func watch(_ table: ObjectTable) {
    table.add(self)
    classes.append(TextIndexOfClass(table: table))
  }

  private func note(_ object: Object, in table: ObjectTable) {
    classes.first { $0.table === table }?.note(object.slot)
  }

  func didInsert(_ object: Object, in table: ObjectTable) { note(object, in: table) }
  func didRemove(_ object: Object, from table: ObjectTable) { note(object, in: table) }
  func willChange(_ object: Object, at offset: Int, in table: ObjectTable) {
    let words = classes.first { $0.table === table }
    if words?.reads(offset) ?? false { words?.note(object.slot) }
  }
  func didModify(_ object: Object, from old: OldValues, in table: ObjectTable) {}
  func didAppear(_ table: ObjectTable) {
    if table.isCovered(by: type), !classes.contains(where: { $0.table === table }) { watch(table) }
  }
}

/// The words in the texts of the objects of one class, without its subclasses.
private final class TextIndexOfClass {
  /// The number of noted slots, and of unsorted words, beyond which they are entered: their tests take
  /// about a millisecond.
  private static let limit = 1024

  let table: ObjectTable
  private var fields: [KeyField]?
  /// Whether the objects have been entered.
  private(set) var isComplete = false
  /// The place of each word in `words` and `slots`.
  private var places: [String: Int32] = [:]
  private var words: ContiguousArray<String> = []
  /// The slots of the objects that have a word, each once.
  private var slots: ContiguousArray<[Int32]> = []
  /// The places of words in the order of the words; later words aren't in it yet.
  private var sorted: ContiguousArray<Int32> = []
  private var noted = SlotSet()
  private var notedCount = 0

  init(table: ObjectTable) { self.table = table }

  var wordCount: Int { words.count }

  /// The properties with the texts; nil if one of them isn't a `String` that the class declares.
  func fields(at paths: [AnyKeyPath]) -> [KeyField]? {
    if let fields { return fields }
    let declared = paths.compactMap(table.property).filter(table.declares)
    let texts = declared.compactMap(KeyField.init).filter(\.isText)
    if texts.count == paths.count { fields = texts }
    return fields
  }

  func reads(_ offset: Int) -> Bool { fields?.contains { $0.offset == offset } ?? false }

  func note(_ slot: Int32) {
    if isComplete, noted.insert(slot) { notedCount += 1 }
  }

  /// Finds the slots of the objects in whose texts all terms are, in any order.
  func find(_ terms: [SearchTerm], in fields: [KeyField]) -> [Int32] {
    if !isComplete || notedCount > TextIndexOfClass.limit { enter(fields) }
    var found = enteredSlots(of: terms)
    if notedCount == 0 { return found }
    found.removeAll { noted.contains($0) }
    noted.forEach { slot in
      let hasAll = table.objects[Int(slot)].map { has(terms, in: $0, fields: fields) } ?? false
      if hasAll { found.append(slot) }
    }
    return found
  }

  private func enteredSlots(of terms: [SearchTerm]) -> [Int32] {
    // A set takes time for each slot of the table.
    if terms.count == 1, !terms[0].isPrefix {
      return places[terms[0].word].map { slots[Int($0)] } ?? []
    }
    var all: SlotSet?
    for term in terms {
      let slots = slots(of: term)
      if all?.formIntersection(slots) == nil { all = slots }
    }
    var found: [Int32] = []
    all?.forEach { found.append($0) }
    return found
  }

  private func has(_ terms: [SearchTerm], in object: Object, fields: [KeyField]) -> Bool {
    var missing = terms
    for field in fields { missing.removeWords(of: field.text(of: object)) }
    return missing.isEmpty
  }

  private func slots(of term: SearchTerm) -> SlotSet {
    var found = SlotSet()
    if !term.isPrefix {
      places[term.word].map { slots[Int($0)].forEach { found.insert($0) } }
      return found
    }
    sortWords()
    var next = sorted.partitioningIndex { words[Int($0)] >= term.word }
    // Between words that begin with the same characters may be some that only have the same bytes.
    let last = term.word + "\u{10FFFF}"
    while next < sorted.count {
      let place = Int(sorted[next])
      if term.matches(words[place]) {
        for slot in slots[place] { found.insert(slot) }
      } else if words[place] > last {
        break
      }
      next += 1
    }
    for place in sorted.count..<words.count where term.matches(words[place]) {
      for slot in slots[place] { found.insert(slot) }
    }
    return found
  }

  /// Puts the words in order, except for a few that came later.
  private func sortWords() {
    let added = sorted.count..<words.count
    if added.count <= TextIndexOfClass.limit, !sorted.isEmpty { return }
    let new = added.sorted { words[$0] < words[$1] }
    var merged: ContiguousArray<Int32> = []
    merged.reserveCapacity(words.count)
    var next = 0
    for place in new {
      while next < sorted.count, words[Int(sorted[next])] < words[place] {
        merged.append(sorted[next])
        next += 1
      }
      merged.append(Int32(place))
    }
    merged += sorted[next...]
    sorted = merged
  }

  // MARK: - Entering

  /// Enters the objects that were noted, or all.
  private func enter(_ fields: [KeyField]) {
    if isComplete {
      for place in slots.indices { slots[place].removeAll { noted.contains($0) } }
      // Words that no text has any more would take memory without end.
      let unused = slots.count { $0.isEmpty }
      if unused > TextIndexOfClass.limit, unused > slots.count / 2 { removeAll() }
    }
    let objects = table.objects
    if !isComplete {
      for slot in objects.indices { noted.insert(Int32(slot)) }
    }
    noted.forEach { slot in
      guard let object = objects[Int(slot)] else { return }
      for field in fields {
        SearchWords.forEach(in: field.text(of: object)) { enter($0, of: slot) }
      }
    }
    isComplete = true
    noted = SlotSet()
    notedCount = 0
  }

  private func enter(_ word: String, of slot: Int32) {
    guard let place = places[word] else {
      places[word] = Int32(words.count)
      words.append(word)
      slots.append([slot])
      return
    }
    // The words of an object are entered together.
    if slots[Int(place)].last != slot { slots[Int(place)].append(slot) }
  }

  private func removeAll() {
    isComplete = false
    places = [:]
    words = []
    slots = []
    sorted = []
  }
}
