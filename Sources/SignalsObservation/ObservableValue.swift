// Our values for those who observe with the standard library's Observation.
//
// State: `effect` reads the value and tells the registrar of each change; it goes with this object, which
// it doesn't keep. The value itself is not kept: it is read where it lives.

public import Observation
public import Signals

/// A value of Signals as an `Observable`: for `withObservationTracking`, `Observations` and what is built on
/// them.
///
/// - Each change that our side commits is one change there: once for a batch or transaction, and none for
///   equal values. It is told among the effects, after everything has settled.
/// - `onChange` is called when the value has changed already: to read it there gives the new one.
/// - In a `Computed`, an effect or a view the value is a dependency as well, as if it were read
///   directly.
/// - It observes for as long as it lives, whoever made it. A computed is kept up to date meanwhile, and no
///   longer lazy.
///
/// It belongs to the isolation domain of what it reads.
///
/// ```swift
/// let price = Signal(10), amount = Signal(3)
/// let total = ObservableValue { price.value * amount.value }
/// for await value in Observations({ total.value }) { print(value) }  // 30, …
/// ```
public final class ObservableValue<Value>: Observable {
  private let registrar = ObservationRegistrar()
  private let read: () -> Value
  private var effect: Effect?

  /// Observes a signal.
  public convenience init(_ signal: Signal<Value>) { self.init(reading: { signal.value }) }

  /// Observes a computed.
  public convenience init(_ computed: Computed<Value>) { self.init(reading: { computed.value }) }

  /// Observes what `body` derives from signals, objects or results; equal values are no change.
  public convenience init(
    name: String? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping () -> Value
  ) where Value: Equatable {
    self.init(Computed(name: name, file: file, line: line, body))
  }

  /// Observes what `body` derives; `isEqual` decides what is no change.
  public convenience init(
    name: String? = nil, isEqual: @escaping (Value, Value) -> Bool,
    file: StaticString = #fileID, line: UInt = #line, _ body: @escaping () -> Value
  ) {
    self.init(Computed(name: name, isEqual: isEqual, file: file, line: line, body))
  }

  private init(reading read: @escaping () -> Value) {
    self.read = read
    var hasRun = false
    // It lasts as long as this object, and not as the effect or view that runs now.
    effect = detached {
      Effect(name: "the observation of a value") { [weak self] in
        _ = read()
        if hasRun { untracked { self?.tell() } }
        hasRun = true
      }
    }
  }

  private func tell() { registrar.withMutation(of: self, keyPath: \.value) {} }

  /// The present value; a read is observed by both sides.
  public var value: Value {
    registrar.access(self, keyPath: \.value)
    return read()
  }
}
