/// Runs a closure immediately, and again after each change of a value that its last run read.
///
/// - It runs once for all the changes of a batch or transaction, after everything has settled.
/// - Effects run in the order of their creation.
/// - Its writes propagate when the run ends. Its writes to a store are one transaction.
/// - It stops when it is cancelled or its last reference is released. During its first run no
///   reference exists yet; an effect that has to end there must be written so that it reads nothing
///   more.
/// - Closures registered with ``onCleanup(file:line:_:)`` run before the next run, and when the
///   effect stops.
///
/// An effect that keeps triggering itself is stopped, and an ``EndlessChainError`` names it. The
/// error is thrown by the intent or `store.write` that started the chain; after a plain
/// `signal.value = x` it is printed to standard error.
///
/// ```swift
/// let name = Signal("Ada")
/// let greeting = Effect { print("Hello,", name.value) }  // Hello, Ada
/// name.value = "Grace"                                   // Hello, Grace
/// ```
///
/// An effect created inside another effect, an ``EffectScope`` or the body of a view is owned by
/// it, and replaced when the owner runs again. The reference can be dropped there, as in
/// `_ = Effect { … }`. Create an effect that should outlive its surrounding code in
/// ``detached(_:)``. Creating an effect in a ``Computed`` traps.
@safe
public final class Effect: Cancellable {
  typealias Storage = NodeBox<Payload>

  let node: NodePointer
  private var isDisposed = false

  @safe struct Payload: ~Copyable {
    let order: UInt64
    var body: Body
    let label: Label
    /// The effects, scopes and cleanups created by the last run.
    var children: [any Cancellable] = []
  }

  /// The closure, which is borrowed in place because a copy costs a retain for each run.
  @safe struct Body: ~Copyable {
    let body: () -> Void
    /// The trace, if this closure was installed to trace changes.
    var trace: ChangeTrace? = nil

    @inline(__always)
    borrowing func run() { body() }
  }

  /// Runs `body` immediately, and again after each change of a value that it read.
  ///
  /// - Parameters:
  ///   - name: The name in messages; by default, the place in the source.
  ///   - file: The file of the call; leave it to the compiler.
  ///   - line: The line of the call; leave it to the compiler.
  ///   - body: The effect, which the instance retains until it is cancelled.
  public init(
    name: String? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping () -> Void
  ) {
    let label = Label(name, file: file, line: line)
    Owner.checkCanMake("effect \(label)")
    let payload = Payload(order: CreationOrder.next(), body: Body(body: body), label: label)
    node = Storage.make([.reader, .observer, .effect], payload) { node, event in
      let payload = Storage.payload(of: node)
      switch event {
      case .evaluate: Effect.run(node, in: Scheduler.current)
      case .describe(let name): name.pointee = payload.pointee.label.described(as: "effect")
      case .inspect(let place): place.pointee.kind = .effect
      case .destroy: payload.deinitialize()
      default: break
      }
      return false
    }
    Owner.keep(self)
    LiveSubscriptions.begin(self, named: SubscriptionName("the effect \(label)"))
    Node.evaluate(node)
  }

  /// Queues an effect that was marked.
  @inline(__always)
  static func enqueue(_ node: NodePointer, in scheduler: SchedulerPointer) {
    let order = Storage.payload(of: node).pointee.order
    scheduler.pointee.enqueue(node, in: .effects, order: order)
  }

  /// Runs an effect if a value that it read has changed.
  @inline(__always)
  static func perform(_ node: NodePointer, in scheduler: SchedulerPointer) {
    guard Node.isStale(node) else { return }
    scheduler.pointee.depth += 1
    _ = Node.evaluate(node) {
      run(node, in: scheduler)
      return false
    }
    Scheduler.endBatch(scheduler)
  }

  @inline(__always)
  private static func run(_ node: NodePointer, in scheduler: SchedulerPointer) {
    let payload = Storage.payload(of: node)
    if !payload.pointee.children.isEmpty {
      stopChildren(payload)
      // A cleanup may have cancelled the effect itself.
      if node.pointee.flags.contains(.dead) { return }
    }
    UncheckedPointer.with(&payload.pointee.children) { children in
      Owner.collect(at: children) {
        ImplicitTransaction.runReporting(in: scheduler) {
          payload.pointee.body.run()
          // The end of the transaction compares values and calls rules, whose reads aren't
          // dependencies.
          Node.stopReading()
        }
      }
    }
    if node.pointee.flags.contains(.dead) { stopChildren(payload) }
  }

  @inline(__always)
  private static func stopChildren(_ payload: UncheckedPointer<Payload>) {
    if payload.pointee.children.isEmpty { return }
    Disposal.complete(takeChildren(payload), in: Scheduler.current, stop)
  }

  private static func takeChildren(_ payload: UncheckedPointer<Payload>) -> [any Cancellable] {
    exchange(&payload.pointee.children, with: [])
  }

  private static func stop(_ children: [any Cancellable]) {
    for child in children { child.cancel() }
  }

  /// Stops the effect; it never runs again.
  public func cancel() {
    guard !isDisposed else { return }
    isDisposed = true
    LiveSubscriptions.end(self)
    // The writes of a cleanup must not run the effect once more.
    let scheduler = Scheduler.current
    scheduler.pointee.depth += 1
    let payload = Storage.payload(of: node)
    if !payload.pointee.children.isEmpty {
      Disposal.run(Effect.takeChildren(payload), Effect.stop)
    }
    Node.dispose(node)
    Scheduler.endBatch(scheduler)
  }

  deinit { cancel() }
}

extension Effect: NodeOwner {
  package var vertex: NodeHandle? { isDisposed ? nil : NodeHandle(node: node) }
}
