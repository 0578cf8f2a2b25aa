// How tracing is switched on: the closure of a computed or an effect is replaced by one that runs it and
// then asks the trace. So nothing is paid for before.

extension Computed {
  /// Whether ``explanation`` is kept up; off, unless you set it, and free while it is off.
  ///
  /// While it is on, an evaluation costs about a microsecond more for each dependency, whose value it
  /// describes.
  public var tracesChanges: Bool {
    get { trace?.isOn ?? false }
    set {
      if newValue { (trace ?? makeTrace()).start(hasRun: hasValue) } else { trace?.stop() }
    }
  }

  /// Why it was evaluated last; nil before the first evaluation that was traced.
  public var explanation: Explanation? { trace?.last }

  private var trace: ChangeTrace? { unsafe Storage.payload(of: node).pointee.closures.trace }

  private var hasValue: Bool { unsafe Storage.payload(of: node).pointee.value != nil }

  private func makeTrace() -> ChangeTrace {
    let trace = unsafe ChangeTrace(node)
    let payload = unsafe Storage.payload(of: node)
    // The old one may be running: the new one keeps it.
    let body = unsafe payload.pointee.closures.body
    unsafe payload.pointee.closures = unsafe Closures(
      {
        let value = body()
        trace.didRun()
        return value
      }, payload.pointee.closures.isEqual, trace)
    return trace
  }
}

extension Effect {
  /// Whether ``explanation`` is kept up; off, unless you set it, and free while it is off.
  ///
  /// While it is on, a run costs about a microsecond more for each dependency, whose value it describes.
  public var tracesChanges: Bool {
    get { trace?.isOn ?? false }
    set {
      guard vertexExists else { return }
      if newValue { (trace ?? makeTrace()).start(hasRun: true) } else { trace?.stop() }
    }
  }

  /// Why it ran last; nil before the first run that was traced, and once it was cancelled.
  public var explanation: Explanation? { trace?.last }

  private var vertexExists: Bool { unsafe vertex != nil }

  private var trace: ChangeTrace? {
    guard vertexExists else { return nil }
    return unsafe Storage.payload(of: node).pointee.body.trace
  }

  private func makeTrace() -> ChangeTrace {
    let trace = unsafe ChangeTrace(node)
    let payload = unsafe Storage.payload(of: node)
    // The old one may be running: the new one keeps it.
    let body = unsafe payload.pointee.body.body
    unsafe payload.pointee.body = Body(
      body: {
        body()
        trace.didRun()
      }, trace: trace)
    return trace
  }
}
