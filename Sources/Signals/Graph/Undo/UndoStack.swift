// The ring buffer of a history's steps.
//
// The caller owns a dropped step and releases it when everything is consistent, because that may run
// code that writes to the same store and so adds a step.

/// The latest steps, up to a limit.
struct UndoStack {
  private let limit: Int
  /// The ring; the `count` slots before `end` have steps.
  private var slots: ContiguousArray<UndoStep> = []
  /// The slot of the next step, behind the last one.
  private var end = 0
  private(set) var count = 0

  init(limit: Int) { self.limit = limit }

  var isEmpty: Bool { count == 0 }

  var last: UndoStep? { isEmpty ? nil : slots[previous] }

  /// The slot of the next step.
  ///
  /// It changes with each push, unless the limit is 1. The count of steps doesn't change if the
  /// push drops the oldest step.
  var place: Int { end }

  private var previous: Int { slot(0) }

  /// The slot of a step, counted from the latest; can't overflow, however large the limit is.
  private func slot(_ place: Int) -> Int {
    let slot = end - 1 - place
    return slot < 0 ? slot + limit : slot
  }

  /// Pushes a step, and sets `step` to the oldest one if there are too many now, or to no step.
  ///
  /// Swaps in place, because every undoable write passes here.
  @inline(__always)
  mutating func push(_ step: inout UndoStep) {
    let place = end
    end = end + 1 == limit ? 0 : end + 1
    if count < limit { count += 1 }
    if place == slots.count { slots.append(.nothing) }
    swap(&slots[place], &step)
  }

  /// Pushes a step, and defers the release of the one dropped for it.
  mutating func append(_ step: UndoStep) {
    var step = step
    push(&step)
    if !step.isNothing { Scheduler.deferRelease(step) }
  }

  /// Makes a commit part of the latest step; see `UndoStep.isContinued(by:)`.
  mutating func join(_ step: UndoStep, isContinued: Bool) {
    if isEmpty { return append(step) }
    changeLast { $0.append(step, isContinued: isContinued) }
  }

  /// Removes and returns the latest step, if there is one.
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

  /// Removes the latest step; the intervening writes noted with it are noted with the previous one.
  mutating func dropLast() {
    // The caller already has the step.
    guard let others = popLast()?.others else { return }
    changeLast { $0.note(others) }
  }

  /// The steps, the latest first; O(steps).
  var steps: [UndoStep] { (0..<count).map { slots[slot($0)] } }

  /// Removes all steps and passes them to the caller.
  mutating func removeAll() -> ContiguousArray<UndoStep> {
    (end, count) = (0, 0)
    return exchange(&slots, with: [])
  }

  /// Describes each broken invariant.
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
