// Makes values of Signals observable with the standard library's Observation.
//
// State: `effect` reads the value and notifies the registrar of each change. This object owns the
// effect, and the effect refers to it weakly. The value isn't stored; it is read from its source.

public import Observation
public import Signals

/// A value of Signals as an `Observable`, for `withObservationTracking`, `Observations` and code
/// built on them.
///
/// - Each change that Signals commits is reported to Observation as one change: one for a whole
///   batch or transaction, none for equal values. It is reported while effects run, after all
///   values have settled.
/// - `onChange` is called after the value has changed, so reading it there returns the new value.
/// - In a `Computed`, an effect or a view the value is also a dependency, as if it were read
///   directly.
/// - It observes for as long as it exists, even if it was created within an effect or a view. A
///   computed is kept up to date during that time and is no longer lazy.
///
/// It belongs to the isolation domain of the values that it reads.
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

  /// Observes the value that `body` derives from signals, objects or results.
  ///
  /// An equal value isn't a change.
  public convenience init(
    name: String? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping () -> Value
  ) where Value: Equatable {
    self.init(Computed(name: name, file: file, line: line, body))
  }

  /// Observes the value that `body` derives.
  ///
  /// A value for which `isEqual` returns true isn't a change.
  public convenience init(
    name: String? = nil, isEqual: @escaping (Value, Value) -> Bool,
    file: StaticString = #fileID, line: UInt = #line, _ body: @escaping () -> Value
  ) {
    self.init(Computed(name: name, isEqual: isEqual, file: file, line: line, body))
  }

  private init(reading read: @escaping () -> Value) {
    self.read = read
    var hasRun = false
    // The effect lives as long as this object, independent of the effect or view that runs now.
    effect = detached {
      Effect(name: "the observation of a value") { [weak self] in
        _ = read()
        if hasRun { untracked { self?.notify() } }
        hasRun = true
      }
    }
  }

  private func notify() { registrar.withMutation(of: self, keyPath: \.value) {} }

  /// The current value.
  ///
  /// Signals and Observation both track the read.
  public var value: Value {
    registrar.access(self, keyPath: \.value)
    return read()
  }
}
