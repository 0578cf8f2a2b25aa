// The actor that asynchronous work of an operator, a loader or a view belongs to.

/// The actor that timers and tasks run on.
struct TaskIsolation {
  private let reference: WeakActor

  init(_ actor: (any Actor)?, of operation: String) {
    if let actor {
      reference = WeakActor(actor)
    } else if let place = CurrentActor.present {
      self = place.isolation
    } else {
      trap("\(operation) needs an actor to run its task on: use it on one, as on the main actor")
    }
  }

  init(_ reference: WeakActor) { self.reference = reference }

  /// Checks that the caller runs on the actor.
  ///
  /// - Returns: The reference to the actor, which may have been released.
  func checkedActor() -> WeakActor {
    // If this fails, the runtime names the actor, and prints no message of ours.
    reference.actor?.preconditionIsolated()
    return reference
  }
}

/// A weak reference to an actor, which owns its subscriptions and must not be owned by them.
struct WeakActor {
  private weak let other: (any Actor)?
  /// The main actor, which is never released.
  private let main: MainActor?

  init(_ actor: (any Actor)?) {
    main = actor as? MainActor
    other = main == nil ? actor : nil
  }

  /// The actor; nil if it has been released.
  var actor: (any Actor)? { main ?? other }
}

/// An actor that runs tasks on an executor where it can see them before they
/// reach the actor, and between their steps.
package protocol SteppedActor: Actor {
  /// The executor of these tasks.
  nonisolated var taskExecutor: any TaskExecutor { get }
}
