// The ring of a history's steps.
//
// State: `slots`, of which `count` are in use, ending before `end`; the others have no step. Only the history that
// has the ring changes it. A step that it drops is the caller's, which releases it when everything is whole: with it
// may go what writes to the same store, and so adds a step.

/// The latest steps, as many as are to be kept.
struct UndoStack {
  private let limit: Int
  private var slots: ContiguousArray<UndoStep> = []
  private var end = 0
  private(set) var count = 0

  init(limit: Int) { self.limit = limit }

  var isEmpty: Bool { count == 0 }

  var last: UndoStep? { isEmpty ? nil : slots[previous] }

  /// Where the next step goes; it differs when one was added, also if another was dropped for it.
  var place: Int { end }

  private var previous: Int { slot(0) }

  /// The slot of a step, counted from the latest; the limit may be any number.
  private func slot(_ place: Int) -> Int {
    let slot = end - 1 - place
    return slot < 0 ? slot + limit : slot
  }

  /// Adds a step, and leaves in its place the oldest, if there are too many now, or no step.
  ///
  /// They are exchanged where they are: each write that can be undone passes here.
  @inline(__always)
  mutating func push(_ step: inout UndoStep) {
    let place = end
    end = end + 1 == limit ? 0 : end + 1
    if count < limit { count += 1 }
    if place == slots.count { slots.append(.nothing) }
    swap(&slots[place], &step)
  }

  /// Adds a step, and leaves what it drops to the next release.
  mutating func append(_ step: UndoStep) {
    var step = step
    push(&step)
    if !step.isNothing { Turn.leave(step) }
  }

  /// Makes a commit a part of the latest step; see `UndoStep.isContinued(by:)`.
  mutating func join(_ step: UndoStep, isContinued: Bool) {
    if isEmpty { return append(step) }
    changeLast { $0.append(step, isContinued: isContinued) }
  }

  /// Takes the latest step off, if there is one.
  mutating func popLast() -> UndoStep? {
    guard !isEmpty else { return nil }
    end = previous
    count -= 1
    return exchange(&slots[end], with: .nothing)
  }

  /// Changes the latest step.
  mutating func changeLast(_ change: (inout UndoStep) -> Void) {
    guard var last = popLast() else { return }
    change(&last)
    append(last)
  }

  /// Removes the latest step; what others have written since is noted at the one before.
  mutating func dropLast() {
    // Whoever takes it has it already.
    guard let others = popLast()?.others else { return }
    changeLast { $0.note(others) }
  }

  /// The steps, the latest first; O(steps).
  var steps: [UndoStep] { (0..<count).map { slots[slot($0)] } }

  /// Removes all steps, which are the caller's then.
  mutating func removeAll() -> ContiguousArray<UndoStep> {
    (end, count) = (0, 0)
    return exchange(&slots, with: [])
  }

  /// Names each invariant that is broken.
  var brokenInvariants: [String] {
    var broken: [String] = []
    let used = Set((0..<count).map(slot))
    if !used.isSubset(of: slots.indices) { broken.append("the number of steps") }
    if slots.count > limit { broken.append("the limit of steps") }
    for slot in slots.indices where !used.contains(slot) && !slots[slot].isNothing {
      broken.append("slot \(slot), which is not in use")
    }
    return broken
  }
}
