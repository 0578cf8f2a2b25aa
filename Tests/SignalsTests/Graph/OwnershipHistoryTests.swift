import Foundation
import Signals
import Testing

/// Random histories of embedded objects: ownership is a forest after each step, whatever was tried.
@Suite struct `Graph, random histories of ownership` {
  @Test(arguments: [1, 2, 3, 4])
  func `ownership is a forest, inverses match links, indexes match fields`(seed: UInt64) throws {
    let history = OwnershipHistory(seed: seed)
    defer { history.end() }
    for step in 0..<ownershipSteps {
      history.step()
      guard history.check("seed \(seed), step \(step)") else { return }
    }
    #expect(history.refusals > 0 && history.moves > 0)
  }
}

private let ownershipSteps =
  ProcessInfo.processInfo.environment["SIGNALS_STEPS"].flatMap { Int($0) } ?? 200

private final class OwnershipHistory {
  struct State: Equatable {
    var name: String
    var part: ObjectID?
    var parts: [ObjectID]
  }

  let store = Store(undoLimit: 20)
  var random: SeededGenerator
  var wrong: [String] = []
  var (refusals, moves) = (0, 0)
  /// Every object that ever was.
  var parts: [Part] = []
  var machines: [Machine] = []
  /// The states before each commit that can be undone.
  var past: [[ObjectID: State]] = []
  /// What the change sets tell.
  var shadow: [ObjectID: State] = [:]
  var token: (any Cancellable)?

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    store.onRefusal = { [unowned self] _ in refusals += 1 }
    token = store.commits.sink { [unowned self] in apply($0) }
  }

  func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  func end() {
    for part in parts where part.store == nil {
      part.part = nil
      part.parts = []
    }
  }

  var states: [ObjectID: State] {
    var states: [ObjectID: State] = [:]
    for machine in store.results(Machine.self) {
      states[machine.objectID] = State(
        name: machine.name, part: machine.part?.objectID, parts: machine.parts.map(\.objectID))
    }
    for part in store.results(Part.self) {
      states[part.objectID] = State(
        name: part.name, part: part.part?.objectID, parts: part.parts.map(\.objectID))
    }
    return states
  }

  private func apply(_ change: ChangeSet) {
    for one in change.changes {
      if one.kind == .deleted {
        shadow[one.id] = nil
        continue
      }
      var state = shadow[one.id] ?? State(name: "", parts: [])
      for property in one.properties {
        switch property.name {
        case "name": state.name = property.new as? String ?? "?"
        case "part": state.part = (property.new as? ObjectID?) ?? nil
        default: state.parts = property.new as? [ObjectID] ?? []
        }
      }
      shadow[one.id] = state
    }
  }

  func step() {
    if number(6) == 0 { return undo() }
    let before = states
    let fails = number(5) == 0
    do {
      try store.write {
        for _ in 0..<(1 + number(5)) { try nest(0) }
        if fails { throw Refusal() }
      }
      if states != before {
        past.append(before)
        if past.count > 20 { past.removeFirst() }
      }
    } catch {
      if error is StoreError { refusals += 1 }
      if states != before { wrong.append("\(error) left something") }
    }
  }

  private func nest(_ depth: Int) throws {
    guard depth < 2, number(3) == 0 else { return try edit() }
    let before = states
    do {
      try store.write {
        for _ in 0..<(1 + number(3)) { try nest(depth + 1) }
        if number(3) == 0 { throw Refusal() }
      }
    } catch {
      if error is StoreError { refusals += 1 }
      if states != before { wrong.append("\(error) left something in a savepoint") }
    }
  }

  private func undo() {
    guard let expected = past.popLast() else { return }
    do {
      try store.undo()
      if states != expected { wrong.append("undo") }
    } catch {
      wrong.append("undo: \(error)")
    }
  }

  private func makePart() -> Part {
    let part = Part()
    part.name = "p\(number(5))"
    if number(3) == 0 { part.part = makePart() }
    if number(4) == 0 { part.parts = [makePart(), makePart()] }
    parts.append(part)
    return part
  }

  /// A part from anywhere: new, stored, gone, or one that has just lost its owner.
  private func anyPart() -> Part {
    if parts.isEmpty || number(3) == 0 { return makePart() }
    return parts[number(parts.count)]
  }

  private func edit() throws {
    let present = machines.filter { $0.store === store }
    guard let machine = present.randomElement(using: &random), number(8) > 0 else {
      let machine = Machine()
      if number(2) == 0 { machine.part = anyPart() }
      if number(2) == 0 { machine.parts = [anyPart(), anyPart()] }
      machines.append(machine)
      do { try store.add(machine) } catch is StoreError { refusals += 1 }
      return
    }
    let stored = parts.filter { $0.store === store }
    switch number(10) {
    case 0: try store.delete(machine)
    case 1: if let part = stored.randomElement(using: &random) { try store.delete(part) }
    case 2: if let part = stored.randomElement(using: &random) { part.name = "n\(number(5))" }
    case 3...5: move(stored, machine)
    case 6: machine.part = number(3) == 0 ? nil : anyPart()
    case 7: if let part = stored.randomElement(using: &random) { part.part = anyPart() }
    case 8: machine.parts.insert(anyPart(), at: number(machine.parts.count + 1))
    default:
      machine.parts.sort { $0.objectID > $1.objectID }
      if !machine.parts.isEmpty { machine.parts.remove(at: number(machine.parts.count)) }
    }
  }

  /// Takes a part from its owner, and gives it to another.
  private func move(_ stored: [Part], _ machine: Machine) {
    guard let part = stored.randomElement(using: &random) else { return }
    switch part.owner {
    case let owner as Machine:
      if owner.part === part { owner.part = nil }
      owner.parts.remove(part)
    case let owner as Part:
      if owner.part === part { owner.part = nil }
      owner.parts.remove(part)
    default: break
    }
    if part.owner != nil { wrong.append("an owner that was left") }
    moves += 1
    switch number(4) {
    case 0: machine.part = part
    case 1: if let other = stored.randomElement(using: &random) { other.part = part }
    case 2: machine.parts.append(part)
    default: break
    }
  }

  func check(_ place: String) -> Bool {
    let states = states
    if shadow != states { wrong.append("change sets") }
    for part in parts where part.store != nil {
      guard let owner = part.owner else {
        wrong.append("no owner")
        continue
      }
      let owned: [Part]
      switch owner {
      case let machine as Machine: owned = Array(machine.parts) + [machine.part].compactMap { $0 }
      case let other as Part: owned = Array(other.parts) + [other.part].compactMap { $0 }
      default: owned = []
      }
      if owned.count(where: { $0 === part }) != 1 { wrong.append("the owner of \(part.objectID)") }
    }
    for name in 0..<5 {
      let indexed = Set(store.results(Part.self).where(\.name, equals: "p\(name)"))
      if indexed != Set(parts.filter { $0.store != nil && $0.name == "p\(name)" }) {
        wrong.append("the index")
      }
    }
    wrong += store.brokenInvariants()
    #expect(wrong == [], "\(place)")
    return wrong.isEmpty
  }
}
