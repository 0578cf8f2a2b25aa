// Makes a value of the standard library's Observation a dependency in Signals.
//
// State: `signal` holds the value read last. Order of events: `onChange` is called before the model
// changes, on the thread that changes it. It enqueues a task on the actor. The task reads the
// changed property again and registers for the next change.

public import Observation
internal import Signals

/// A property of an `@Observable` model as a value that computeds, effects and views can depend on.
///
/// A model is tracked only through this type. A model's property that a computed reads directly
/// isn't a dependency.
///
/// - It lags behind the model and isn't glitch-free: Observation reports a change *before* it
///   happens, when the new value can't be read yet, so the property is read again on the next turn
///   of the actor. Until then ``value`` is the previous value, although the model has already
///   changed.
/// - Several changes within one turn of the actor arrive as one, with the last value. Equal values
///   aren't reported.
/// - It needs an actor, the one that it was created on. The model must be changed on the same
///   actor.
/// - It retains the model, and ends when its last reference is released. The model keeps a few
///   words of memory for it until the property changes once more.
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
  // The actor isn't retained, because it may own this object. The main actor always exists; a weak
  // reference to it would be memory that the leak sanitizer can't recognize as in use.
  private weak let actor: (any Actor)?
  private let mainActor: MainActor?

  /// Observes a property, or a value that a key path derives from several.
  ///
  /// `isEqual` decides whether the value has changed.
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

  /// Observes a property, or a value that a key path derives from several.
  ///
  /// An equal value isn't a change.
  public convenience init<Model: AnyObject & Observable>(
    _ model: Model, _ path: KeyPath<Model, Value>, name: String? = nil,
    file: StaticString = #fileID, line: UInt = #line, isolation: isolated any Actor = #isolation
  ) where Value: Equatable {
    self.init(
      model, path, name: name, isEqual: { ValueEquality.areEqual($0, $1) }, file: file, line: line,
      isolation: isolation)
  }

  /// The value of the property when it was last read.
  ///
  /// Reading it creates a dependency.
  public var value: Value { signal.value }

  /// Returns the value of the property when it was last read, without creating a dependency.
  public func peek() -> Value { signal.peek() }

  private func readAndRegister() -> Value {
    let reread = RereadTask { [weak self] in self?.readAgain() }
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

/// The work to run on the actor.
///
/// It crosses isolation domains unchecked. That is safe because `body` is written once, before any
/// other code sees it, and is called only on the actor of the `Observed` that created it. It
/// captures that object weakly and nothing else, so releasing it on any thread releases nothing of
/// the graph.
private final class RereadTask: @unchecked Sendable {
  private let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }

  func run(on actor: isolated any Actor) { body() }
}
