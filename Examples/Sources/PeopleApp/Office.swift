package import Signals

/// Somewhere else: another actor with a copy of the graph, which changes it and sends what it changed.
package actor Office {
  private let store: Store
  private let outbox = Outbox()
  private let commits: any Cancellable
  private var random: Seeded
  private var lastNumber = 1000

  private final class Outbox { var changes: [ChangeSet] = [] }

  /// Begins with a copy; the same seed makes the same changes.
  package init(_ snapshot: Snapshot, seed: UInt64) {
    store = Store(snapshot)
    random = Seeded(seed)
    commits = store.commits.sink { [outbox] in outbox.changes.append($0) }
  }

  /// Does some random deletions, edits and additions, each as one commit, and sends them.
  package func work(_ steps: Int) throws -> [ChangeSet] {
    for _ in 0..<steps { try store.write { try step() } }
    defer { outbox.changes = [] }
    return outbox.changes
  }

  /// What is here now.
  package var snapshot: Snapshot { store.snapshot() }

  private func step() throws {
    guard let course = store.object(Course.self, primaryKey: 1) else { return try found() }
    let kind = random.next(below: 100)
    guard !course.members.isEmpty, kind < 80 else {
      if kind == 99 {
        for person in course.members { try store.delete(person) }
        return try store.delete(course)
      }
      return course.members.insert(person(), at: random.next(below: course.members.count + 1))
    }
    let place = random.next(below: course.members.count)
    let person = course.members[place]
    switch kind {
    case ..<25: person.age += 1
    case ..<50: person.name = "Name \(random.next(below: 1000))"
    case ..<60: course.members.move(fromOffsets: [place], toOffset: 0)
    default: try store.delete(person)
    }
  }

  private func found() throws {
    let course = Course()
    (course.number, course.title) = (1, "Course \(random.next(below: 100))")
    for _ in 0..<random.next(below: 30) { course.members.append(person()) }
    try store.add(course)
  }

  private func person() -> Person {
    let person = Person()
    lastNumber += 1
    (person.number, person.name) = (lastNumber, "Name \(random.next(below: 1000))")
    person.age = 6 + random.next(below: 10)
    return person
  }
}

/// SplitMix64.
private struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  mutating func next(below end: Int) -> Int { Int.random(in: 0..<end, using: &self) }
}
