// What a scope keeps for the modifiers of its body that speak of its life: a part for each, found again by where
// it stands, like a child view.
//
// Mutable state of a part, and who may touch it:
// - `handler`: who gets its errors; set in each pass over the body;
// - `mark`: the pass in which it was last met;
// - `appearance`, `isQueued`, `hasEnded`: LifeQueue.swift.

/// What a body says of the life of what it holds.
protocol LifeModifier<Part> {
  associatedtype Part: LifePart

  /// Makes what is kept for it, when it is met for the first time.
  func makePart(in scope: Scope) -> Part

  /// Hands on what a further body says; the answer is whether something is to run after the frame.
  func update(_ part: Part) -> Bool
}

/// What is kept of a modifier, as long as its place.
class LifePart {
  var handler: ErrorHandler?
  var mark: UInt64 = 0
  /// When it appeared, in the order of all; 0 if it didn't.
  var appearance: UInt64 = 0
  var isQueued = false
  var hasEnded = false

  /// Runs what is due after a frame.
  func run(on host: ViewHost, isFirst: Bool) throws {}

  /// Lets everything go; the answer is what is to run in the end, if it has appeared.
  func end() -> (() throws -> Void)? { nil }

  /// What stands below it gets its errors handled by this.
  var errorHandler: ErrorHandler? { nil }
}

/// A part in its place.
struct PlacedPart {
  let place: Place
  let part: LifePart
}

/// The parts of one scope in one pass over what its body built.
///
/// State: `old` are those of the pass before; the one at `next` is expected; `index` finds all others, once
/// one was not where it was expected; `parts` are those that were met.
struct LifeResolution {
  private let old: [PlacedPart]
  private var next = 0
  private var index: [Place: Int]?
  private(set) var parts: [PlacedPart] = []

  init(_ old: [PlacedPart]) { self.old = old }

  /// Whether there neither was nor is any.
  var isEmpty: Bool { old.isEmpty && parts.isEmpty }

  /// Puts a modifier in its place; the answer is the environment of what stands below it.
  mutating func place(
    _ modifier: some LifeModifier, at path: [Step], in scope: Scope, pass: UInt64,
    _ environment: EnvironmentValues
  ) -> EnvironmentValues {
    let part = part(of: modifier, at: path, in: scope)
    part.mark = pass
    part.handler = environment.errorHandler
    guard let handler = part.errorHandler else { return environment }
    handler.outer = environment.errorHandler
    var below = environment
    below.errorHandler = handler
    return below
  }

  private mutating func part<Modifier: LifeModifier>(
    of modifier: Modifier, at path: [Step], in scope: Scope
  ) -> LifePart {
    let place = Place(path: path, type: ObjectIdentifier(Modifier.self))
    if let known = take(place), let part = known as? Modifier.Part {
      parts.append(PlacedPart(place: place, part: part))
      if modifier.update(part) { scope.host.life.add(part) }
      return part
    }
    let part = modifier.makePart(in: scope)
    parts.append(PlacedPart(place: place, part: part))
    scope.host.life.add(part)
    return part
  }

  private mutating func take(_ place: Place) -> LifePart? {
    if old.isEmpty { return nil }
    if next < old.count, old[next].place == place {
      next += 1
      return old[next - 1].part
    }
    let index = index ?? Dictionary(uniqueKeysWithValues: old.indices.map { (old[$0].place, $0) })
    self.index = index
    guard let found = index[place] else { return nil }
    next = found + 1
    return old[found].part
  }

  /// Those that were not met again.
  func gone(_ pass: UInt64) -> [LifePart] {
    old.lazy.map(\.part).filter { $0.mark != pass }
  }
}
