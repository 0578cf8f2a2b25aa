// A value of the standard library's Observation for our side.
//
// State: `signal` holds what was read last. Order of events: `onChange` fires before the model changes, on
// whatever thread changes it; it enqueues a task on the actor; that reads again, once the change is there,
// and registers for the next one.

public import Observation
internal import Signals

/// A property of an `@Observable` model as a value that computeds, effects and views can depend on.
///
/// The model enters here and nowhere else: what a computed reads of it directly is no dependency.
///
/// - It is not glitch-free with the change: Observation tells *before* a change, when there is nothing new to
///   read yet, so the property is read again on the next turn of the actor. Until then ``value`` is what it
///   was, beside a model that is ahead of it.
/// - Changes made within one turn of the actor arrive as one, the last of them; equal values not at all.
/// - It needs an actor, its maker's, on which the model must be changed too.
/// - It keeps the model, and ends with its last reference. The model keeps a few words for it until that
///   property changes once more.
///
/// ```swift
/// @MainActor func show(_ settings: Settings) -> Effect {
///   let size = Observed(settings, \.fontSize)
///   return Effect { print("size", size.value) }
/// }
/// ```
public final class Observed<Value> {
  private let signal: Signal<Value>
  private let read: () -> Value
  // An actor may own this object, and so isn't kept. The main actor never goes; and a weak reference to it
  // would be memory that the leak sanitizer can't see is used.
  private weak let actor: (any Actor)?
  private let mainActor: MainActor?

  /// Observes a property, or what a key path derives from several; `isEqual` decides what is a change.
  public init<Model: AnyObject & Observable>(
    _ model: Model, _ path: KeyPath<Model, Value>, name: String? = nil,
    isEqual: @escaping (Value, Value) -> Bool, file: StaticString = #fileID, line: UInt = #line,
    isolation: isolated any Actor = #isolation
  ) {
    read = { model[keyPath: path] }
    mainActor = isolation === MainActor.shared ? MainActor.shared : nil
    actor = mainActor == nil ? isolation : nil
    signal = Signal(model[keyPath: path], name: name, isEqual: isEqual, file: file, line: line)
    _ = readAndRegister()
  }

  /// Observes a property, or what a key path derives from several; equal values are no change.
  public convenience init<Model: AnyObject & Observable>(
    _ model: Model, _ path: KeyPath<Model, Value>, name: String? = nil,
    file: StaticString = #fileID, line: UInt = #line, isolation: isolated any Actor = #isolation
  ) where Value: Equatable {
    self.init(
      model, path, name: name, isEqual: { Sameness.areSameIfEqual($0, $1) }, file: file, line: line,
      isolation: isolation)
  }

  /// What the property was when it was read last; a read here is a dependency.
  public var value: Value { signal.value }

  /// What the property was when it was read last, read without depending on it.
  public func peek() -> Value { signal.peek() }

  private func readAndRegister() -> Value {
    let reread = Reread { [weak self] in self?.readAgain() }
    return untracked {
      withObservationTracking(read) { [weak actor, mainActor] in
        Task { [weak actor] in
          if let actor = mainActor ?? actor { await reread.run(on: actor) }
        }
      }
    }
  }

  private func readAgain() { signal.value = readAndRegister() }
}

/// What has to be done on the actor.
///
/// It crosses domains unchecked, and safely: `body` is written once, before anybody else sees it, and called
/// on the actor of the `Observed` that made it alone. It captures that object weakly and nothing else, so
/// that whoever releases it, on whatever thread, releases nothing of the graph.
private final class Reread: @unchecked Sendable {
  private let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }

  func run(on actor: isolated any Actor) { body() }
}
