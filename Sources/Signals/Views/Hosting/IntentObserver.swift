// The observers of a host's intents, and async intents that are held instead of run.
//
// State: `ViewHost.observers`, set by user code in the host's isolation; `HeldIntent.finish`,
// nil once the intent has ended.
//
// Order of events: an intent is about to run, and each observer is called in the order of the
// array. The intent runs as one transaction, and what follows from it runs too, unless a batch is
// open. Then the same observers are called in the opposite order.

/// An intent that a host performs, or a step of one, as an ``IntentObserver`` receives it.
public struct IntentEvent {
  /// The kind of an event.
  public enum Kind: Hashable, Sendable {
    /// A synchronous intent of an element, a key, or the app.
    case intent
    /// The beginning of an async intent, with a number that identifies it in the host.
    case beginning(Int)
    /// The end of the async intent with a number.
    case end(Int)
    /// A move of the focus to the element with the event's ``IntentEvent/id``, or to none.
    case focus
  }

  /// The kind of event.
  public internal(set) var kind = Kind.intent
  /// The kind and label of the element, such as `button "Save"`; the key, such as `key d`; the name
  /// given to ``ViewHost/perform(named:_:)``; or `focus`.
  public let name: String
  /// The element; nil for a key, an intent of the app, or a move of the focus.
  public let element: DrawnElement?
  /// The input to the element, or the key; nil for an intent of the app or a move of the focus.
  public let input: ElementInput?
  /// The id of the element, or of the element that gets the focus.
  public internal(set) var id: String?
  /// The error of the async intent that ends; nil for other kinds of event.
  public internal(set) var error: (any Error)?
  /// Whether the event is part of a transaction, or of an intent, effect or observer that is
  /// running, so that its changes belong to the commit of that.
  public internal(set) var isNested = false
  /// Whether the event happens while the consequences of earlier changes run, for example because
  /// an effect or a renderer performs the intent.
  public internal(set) var isReaction = false

  init(name: String, element: DrawnElement? = nil, input: ElementInput? = nil) {
    (self.name, self.element, self.input, id) = (name, element, input, element?.id)
  }

  static func focus(on id: String?) -> IntentEvent {
    var event = IntentEvent(name: "focus")
    event.id = id
    return event
  }
}

/// Observes the intents of a host and the moves of its focus: to record or count them, or to check
/// what they change.
///
/// - An async intent has two events, its beginning and its end. The commits between them aren't
///   part of either.
/// - Intents that the host refuses with a ``HostError`` have no event, and neither do the lifecycle
///   intents of views.
/// - Commits that ``Store/observeCommits(_:)`` reports between the two calls for a synchronous
///   intent are made by it, or follow from it.
/// - An observer must not write or perform intents. A write would be part of a transaction that is
///   open, or else a separate commit.
/// - What an observer reads isn't a dependency of an effect that performs the intent.
///
/// ```swift
/// final class Statistics: IntentObserver {
///   var counts: [String: Int] = [:]
///
///   func willPerform(_ event: IntentEvent) { counts[event.name, default: 0] += 1 }
///   func didPerform(_ event: IntentEvent, throwing error: (any Error)?) {}
/// }
///
/// host.intentObservers.append(Statistics())
/// ```
public protocol IntentObserver: AnyObject {
  /// Called before the event.
  ///
  /// - Parameter event: The event. For the end of an async intent it has the error.
  func willPerform(_ event: IntentEvent)

  /// Called after the event: its transaction has ended, and its consequences have run, including
  /// frames, unless the event is nested, a reaction, or in a ``batch(_:)``.
  ///
  /// - Parameters:
  ///   - event: The event that `willPerform` was called with.
  ///   - error: The error that the intent threw, after its handlers were called with it.
  func didPerform(_ event: IntentEvent, throwing error: (any Error)?)
}

/// An async intent that was started while ``ViewHost/onHeldIntent`` was set.
///
/// It does no work. Its element is busy until ``end(throwing:)``.
public final class HeldIntent {
  /// The number of the intent in its events.
  public let number: Int
  /// The name of the intent in its events.
  public let name: String
  private var finish: (((any Error)?) -> Void)?

  init(number: Int, name: String, finish: @escaping ((any Error)?) -> Void) {
    (self.number, self.name, self.finish) = (number, name, finish)
  }

  /// Ends the intent; a second call does nothing.
  ///
  /// - Parameter error: The error to pass to the handlers of the intent; nil for success. An error
  ///   without any handler is written to standard error.
  public func end(throwing error: (any Error)? = nil) {
    guard let finish else { return }
    self.finish = nil
    finish(error)
  }
}

/// An event that is happening, with the observers that were notified of it.
struct ObservedEvent {
  let event: IntentEvent
  let observers: [any IntentObserver]
}

extension ViewHost {
  /// The observers of the host's intents, which the host retains; none by default.
  ///
  /// Their order is that of the calls before an intent; after it they are called in the opposite
  /// order. A change of the array takes effect with the next intent.
  ///
  /// ```swift
  /// host.intentObservers.append(statistics)
  /// host.intentObservers.removeAll { $0 === statistics }
  /// ```
  public var intentObservers: [any IntentObserver] {
    get { observers }
    set {
      // Released after the access, because the `deinit` of an observer may use the host.
      let old = observers
      observers = newValue
      withExtendedLifetime(old) {}
    }
  }

  /// Notifies the observers that an event is about to happen.
  ///
  /// - Returns: The event and its observers, for ``didPerform(_:throwing:)``; nil without observers.
  func willPerform(
    _ makeEvent: @autoclosure () -> IntentEvent, kind: IntentEvent.Kind, error: (any Error)? = nil
  ) -> ObservedEvent? {
    let observers = self.observers
    if observers.isEmpty { return nil }
    var event = makeEvent()
    (event.kind, event.error) = (kind, error)
    event.isNested = ImplicitTransaction.isUnderWay || store.transaction != nil
    event.isReaction = Scheduler.current.pointee.isFlushing
    notify(observers) { $0.willPerform(event) }
    return ObservedEvent(event: event, observers: observers)
  }

  /// Notifies the observers of an event that it has happened, in the opposite order.
  func didPerform(_ observed: ObservedEvent?, throwing error: (any Error)?) {
    guard let observed else { return }
    notify(observed.observers.reversed()) { $0.didPerform(observed.event, throwing: error) }
  }

  /// Calls observers; an effect that performs an intent doesn't depend on what they read.
  private func notify(
    _ observers: [any IntentObserver], _ call: (any IntentObserver) -> Void
  ) {
    Node.withoutReader { Owner.withoutOwner { observers.forEach(call) } }
  }
}
