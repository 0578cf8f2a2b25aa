struct AsyncSequencePublisher<Elements: AsyncSequence & Sendable>: Publisher
where Elements.Element: Sendable {
  typealias Output = Elements.Element
  typealias Failure = Elements.Failure

  let elements: Elements
  let isolation: TaskIsolation

  func subscribe<Downstream: Subscriber>(_ downstream: Downstream) -> (any Cancellable)?
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let job = SequenceJob<Output, Failure>(on: isolation) {
      downstream.receive($0)
    } finish: {
      downstream.finish($0)
    }
    job.start(elements)
    return job
  }
}

/// Takes elements on any executor, and delivers them on the actor.
///
/// The unchecked conformance is safe: the task takes elements, which are Sendable, and passes each
/// to a function that is isolated to the actor. The closures are used and released only there, or
/// released together with the actor.
final class SequenceJob<Element: Sendable, Failure: Error>: Cancellable, @unchecked Sendable {
  // Weak also during the wait between two elements, which may be long: the actor owns the
  // subscription.
  private let actor: WeakActor
  private var receive: ((Element) -> Bool)?
  private var finish: ((Completion<Failure>) -> Void)?
  private var task: Task<Void, Never>?

  init(
    on isolation: TaskIsolation, receive: @escaping (Element) -> Bool,
    finish: @escaping (Completion<Failure>) -> Void
  ) {
    actor = isolation.checkedActor()
    self.receive = receive
    self.finish = finish
  }

  func start<Elements: AsyncSequence & Sendable>(_ elements: Elements)
  where Elements.Element == Element, Elements.Failure == Failure {
    task = Task { [weak self] in
      do throws(Failure) {
        var iterator = elements.makeAsyncIterator()
        while let element = try await iterator.next(isolation: nil) {
          guard await SequenceJob.deliver(element, to: self) else { return }
        }
        await SequenceJob.end(.finished, of: self)
      } catch {
        await SequenceJob.end(.failure(error), of: self)
      }
    }
  }

  private static func deliver(_ element: Element, to job: SequenceJob?) async -> Bool {
    guard let job, let actor = job.actor.actor else { return false }
    return await job.deliver(element, on: actor)
  }

  private static func end(_ completion: Completion<Failure>, of job: SequenceJob?) async {
    guard let job, let actor = job.actor.actor else { return }
    await job.end(completion, on: actor)
  }

  private func deliver(_ element: Element, on actor: isolated any Actor) -> Bool {
    guard let receive else { return false }
    if receive(element) { return self.receive != nil }
    cancel()
    return false
  }

  private func end(_ completion: Completion<Failure>, on actor: isolated any Actor) {
    receive = nil
    task = nil
    finish.take()?(completion)
  }

  func cancel() {
    let dropped = (receive.take(), finish.take())
    task.take()?.cancel()
    withExtendedLifetime(dropped) {}
  }
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Sends the elements on the actor of the caller; a thrown error becomes the failure.
  ///
  /// - The next element is taken when the previous one has been delivered.
  /// - Cancelling the subscription cancels the task that waits for an element.
  /// - The actor isn't kept alive during that wait.
  ///
  /// A call without an actor traps.
  ///
  /// - Parameter isolation: The actor on which the elements are sent; leave it to the compiler.
  /// - Returns: A publisher of the elements.
  public func publisher(
    isolation: isolated (any Actor)? = #isolation
  ) -> some Publisher<Element, Failure> {
    AsyncSequencePublisher(elements: self, isolation: TaskIsolation(isolation, of: "publisher()"))
  }
}
