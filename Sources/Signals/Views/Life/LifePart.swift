// What a scope keeps for the lifecycle modifiers in its body: one part for each. Like a child view,
// a part is found again by its place.
//
// State of a part, touched only in the host's isolation domain:
// - `handler`: gets the part's errors; set in each pass over the body.
// - `mark`: the pass in which the part was last found.
// - `appearance`, `isQueued`, `hasEnded`: see LifeQueue.swift.

/// A modifier in a body that concerns the lifecycle of its content.
protocol LifeModifier<Part> {
  associatedtype Part: LifePart

  /// Returns the part for the modifier; called when the modifier is first found.
  func makePart(in scope: Scope) -> Part

  /// Updates the part from a later body; returns whether the part has to run after the frame.
  func update(_ part: Part) -> Bool
}

/// The state of a modifier, kept as long as its place exists.
class LifePart {
  var handler: ErrorHandler?
  var mark: UInt64 = 0
  /// The position of its appearance in the order of all; 0 if it hasn't appeared.
  var appearance: UInt64 = 0
  var isQueued = false
  var hasEnded = false

  /// Runs the code that is due after a frame.
  func run(on host: ViewHost, isFirst: Bool) throws {}

  /// Releases everything, and returns the code to run at the end if the part has appeared.
  func end() -> (() throws -> Void)? { nil }

  /// The handler that the part is for the errors of the content below it.
  var errorHandler: ErrorHandler? { nil }
}

/// A part and its place.
struct PlacedPart {
  let place: Place
  let part: LifePart
}

/// The parts of one scope during one pass over the elements that its body built.
///
/// State: `old`, the parts of the previous pass; `next`, the index of the part that is expected
/// next; `index`, the places of all old parts, once a part wasn't where it was expected; `parts`,
/// those found so far.
struct LifeResolution {
  private let old: [PlacedPart]
  private var next = 0
  private var index: [Place: Int]?
  private(set) var parts: [PlacedPart] = []

  init(_ old: [PlacedPart]) { self.old = old }

  /// Whether there were no parts before, and none were found.
  var isEmpty: Bool { old.isEmpty && parts.isEmpty }

  /// Finds or makes the part of a modifier, and returns the environment of the content below it.
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

  /// Returns the parts that weren't found again.
  func gone(_ pass: UInt64) -> [LifePart] {
    old.lazy.map(\.part).filter { $0.mark != pass }
  }
}
