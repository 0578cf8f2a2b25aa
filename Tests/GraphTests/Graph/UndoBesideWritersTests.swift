import Signals
import SignalsTesting
import TestSupport
import Testing

/// Random histories of steps beside background writers, against a model that knows what each step did.
@Suite struct `Graph, random undo beside writers` {
  /// One property of one dish.
  struct Place: Hashable {
    let dish: Int
    let property: String

    var isSum: Bool { property != "price" }
  }

  /// What a step made of one property.
  struct Edit {
    let place: Place
    let before: Int
    let after: Int
  }

  /// What a report says of one property.
  struct Left: Hashable {
    let place: Place
    let old: Int
    let new: Int
    let present: Int
    let reason: String
  }

  /// The values, the steps, and what taking a step back should do.
  struct Model {
    var values: [Place: Int] = [:]
    var undo: [[Edit]] = []
    var redo: [[Edit]] = []

    /// Takes a step back, and says what stood in its way; nil if nothing was done because of that.
    mutating func take(_ isUndo: Bool, _ policy: ConflictPolicy) -> (done: Bool, left: Set<Left>) {
      guard let step = isUndo ? undo.last : redo.last else { return (false, []) }
      var left: Set<Left> = []
      var inverse: [Edit] = []
      var new = values
      for edit in step {
        let present = values[edit.place] ?? 0
        var result = edit.before
        if present != edit.after {
          var reason: String?
          if edit.place.isSum {
            result = present - (edit.after - edit.before)
            if edit.place.property == "few", Int8(exactly: result) == nil {
              reason = "outOfRange"
            }
          } else if present != edit.before {
            reason = "changed"
          }
          if let reason {
            left.insert(
              Left(
                place: edit.place, old: edit.after, new: edit.before, present: present,
                reason: reason))
            result = policy == .mine ? edit.before : present
          }
        }
        new[edit.place] = result
        inverse.append(Edit(place: edit.place, before: present, after: result))
      }
      if policy == .fail, !left.isEmpty { return (false, left) }
      values = new
      inverse.removeAll { $0.before == $0.after }
      if isUndo {
        undo.removeLast()
        redo.append(inverse)
      } else {
        redo.removeLast()
        undo.append(inverse)
      }
      return (true, left)
    }
  }

  @Test(arguments: 1...6, [true, false])
  func `reports are exact, and so is what is left`(seed: UInt64, hasOrigins: Bool) throws {
    var random = SeededRandom(seed: seed + firstSeed - 1)
    let store = Store(undoLimit: 10_000)
    let dishes = (0..<3).map { StockedDish("\($0)") }
    try store.write(undoable: false) { try store.add(dishes) }
    let history = hasOrigins ? UndoHistory(store, limit: 10_000, origins: ["mine"]) : store.history
    var model = Model()
    for step in 0..<runLength(usually: 400) {
      let comment: Comment = "seed \(seed), origins \(hasOrigins), step \(step)"
      switch Int.random(in: 0..<10, using: &random) {
      case 0...3:
        let edits = edits(dishes, &random)
        let before = model.values
        try store.write(origin: "mine") {
          for (place, value) in edits { write(value, place, dishes) }
        }
        for (place, value) in edits { model.values[place] = value }
        let changed = Set(edits.map(\.0)).compactMap { place -> Edit? in
          let (old, new) = (before[place] ?? 0, model.values[place] ?? 0)
          return Edit(place: place, before: old, after: new)
        }
        guard changed.contains(where: { $0.before != $0.after }) else { break }
        model.undo.append(changed.filter { $0.before != $0.after })
        model.redo = []
      case 4...5:
        let edits = edits(dishes, &random)
        // With origins whoever else writes may be undone by others.
        try store.write(origin: "others", undoable: hasOrigins) {
          for (place, value) in edits { write(value, place, dishes) }
        }
        for (place, value) in edits { model.values[place] = value }
      default:
        let isUndo = Int.random(in: 0..<5, using: &random) < 3
        guard isUndo ? !model.undo.isEmpty : !model.redo.isEmpty else { break }
        let policy = [ConflictPolicy.fail, .theirs, .mine].randomElement(using: &random) ?? .fail
        let expected = model.take(isUndo, policy)
        do {
          let report =
            isUndo
            ? try history.undo(onConflict: policy)
            : try history.redo(onConflict: policy)
          #expect(expected.done, comment)
          #expect(left(report.conflicts, dishes) == expected.left, comment)
        } catch let error as ChangeConflictError {
          #expect(!expected.done, comment)
          #expect(left(error.conflicts, dishes) == expected.left, comment)
        }
      }
      for place in places { #expect(read(place, dishes) == model.values[place] ?? 0, comment) }
      #expect(history.undoCount == model.undo.count, comment)
      #expect(history.redoCount == model.redo.count, comment)
    }
    #expect(store.brokenInvariants() == [])
  }

  private var places: [Place] {
    (0..<3).flatMap { dish in
      ["price", "stock", "few"].map { Place(dish: dish, property: $0) }
    }
  }

  private func edits(_ dishes: [StockedDish], _ random: inout SeededRandom) -> [(Place, Int)] {
    (0..<Int.random(in: 1...3, using: &random)).compactMap { _ in
      guard let place = places.randomElement(using: &random) else { return nil }
      let range = place.property == "few" ? -100...100 : 0...3
      return (place, Int.random(in: range, using: &random))
    }
  }

  private func write(_ value: Int, _ place: Place, _ dishes: [StockedDish]) {
    switch place.property {
    case "price": dishes[place.dish].price = value
    case "stock": dishes[place.dish].stock = value
    default: dishes[place.dish].few = Int8(value)
    }
  }

  private func read(_ place: Place, _ dishes: [StockedDish]) -> Int {
    switch place.property {
    case "price": dishes[place.dish].price
    case "stock": dishes[place.dish].stock
    default: Int(dishes[place.dish].few)
    }
  }

  private func left(_ conflicts: [ChangeConflict], _ dishes: [StockedDish]) -> Set<Left> {
    Set(
      conflicts.compactMap { conflict in
        guard let dish = dishes.firstIndex(where: { $0.objectID == conflict.subject.id }),
          let property = conflict.property
        else { return nil }
        func number(_ value: (any FieldValue)?) -> Int {
          (value as? Int) ?? (value as? Int8).map { Int($0) } ?? -1000
        }
        return Left(
          place: Place(dish: dish, property: property.name), old: number(property.old),
          new: number(property.new), present: number(conflict.present),
          reason: "\(conflict.reason)")
      })
  }
}
