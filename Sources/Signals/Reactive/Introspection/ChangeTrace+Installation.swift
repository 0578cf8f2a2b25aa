// Tracing replaces the closure of a computed or an effect by one that runs it and then asks the
// trace. So it costs nothing until it is switched on.

extension Computed {
  /// Whether ``explanation`` is recorded; off by default, and free while it is off.
  ///
  /// While it is on, an evaluation takes about a microsecond more for each dependency, because it
  /// describes the dependency's value.
  public var tracesChanges: Bool {
    get { trace?.isOn ?? false }
    set {
      if newValue { (trace ?? makeTrace()).start(hasRun: hasValue) } else { trace?.stop() }
    }
  }

  /// The reason for the last evaluation; nil before the first traced evaluation.
  public var explanation: Explanation? { trace?.last }

  private var trace: ChangeTrace? { Storage.payload(of: node).pointee.closures.trace }

  private var hasValue: Bool { Storage.payload(of: node).pointee.value != nil }

  private func makeTrace() -> ChangeTrace {
    let trace = ChangeTrace(node)
    let payload = Storage.payload(of: node)
    // The old closure may be running. The new one keeps it alive.
    let body = payload.pointee.closures.body
    payload.pointee.closures = Closures(
      {
        let value = body()
        trace.didRun()
        return value
      }, payload.pointee.closures.isEqual, trace)
    return trace
  }
}

extension Effect {
  /// Whether ``explanation`` is recorded; off by default, and free while it is off.
  ///
  /// While it is on, a run takes about a microsecond more for each dependency, because it describes
  /// the dependency's value.
  public var tracesChanges: Bool {
    get { trace?.isOn ?? false }
    set {
      guard vertex != nil else { return }
      if newValue { (trace ?? makeTrace()).start(hasRun: true) } else { trace?.stop() }
    }
  }

  /// The reason for the last run; nil before the first traced run, and after it was cancelled.
  public var explanation: Explanation? { trace?.last }

  private var trace: ChangeTrace? {
    guard vertex != nil else { return nil }
    return Storage.payload(of: node).pointee.body.trace
  }

  private func makeTrace() -> ChangeTrace {
    let trace = ChangeTrace(node)
    let payload = Storage.payload(of: node)
    // The old closure may be running. The new one keeps it alive.
    let body = payload.pointee.body.body
    payload.pointee.body = Body(
      body: {
        body()
        trace.didRun()
      }, trace: trace)
    return trace
  }
}
