// Signals whose writes are recorded, since no intent makes them again: those of a timer.
//
// State: `RecordedSignals.signals`, by name; the host has it among its intent observers, so that it
// lives as long as the host and is there in a replay. `RecordedSignal.last`, the last value as text.
//
// Order of events: a signal is written. Its effect runs before the frame, and opens an entry, unless
// an intent is running, to which the write belongs. If an entry is open, as in a batch, the new one
// has its frame. A commit that follows from the write may be made before the effect runs, so the
// recorder asks for changed signals first.

public import Signals

extension ViewHost {
  /// Records the writes of a signal that no intent makes, under a name.
  ///
  /// Such writes come from timers, such as the end of a `debounce`, or from outside of the host. Each
  /// has an entry in `intentLog`, with the value as text. A replay sets the signal that is recorded
  /// under the same name on its host, and doesn't wait for the timer. The writes of an intent, and
  /// those that follow from it, have no entry of their own.
  ///
  /// ```swift
  /// host.record(search.$settled, as: "search")
  /// host.intentLog = IntentLog(start: store.snapshot())
  /// ```
  ///
  /// - Parameters:
  ///   - signal: The signal, which the host retains.
  ///   - name: The name in the log; a signal recorded under it before is replaced.
  public func record<Value: LosslessStringConvertible>(_ signal: Signal<Value>, as name: String) {
    let records = recordedSignals ?? RecordedSignals()
    if recordedSignals == nil { intentObservers.append(records) }
    records.signals[name] = RecordedSignal(signal) { [weak self] in self?.recorder?.noteSignals() }
  }

  /// Records the addresses that no intent sets, such as those of a browser.
  func recordAddresses() {
    let name = "screen address"
    if recordedSignals?.signals[name] == nil { record(addressSignal, as: name) }
  }

  /// The signals that are recorded.
  var recordedSignals: RecordedSignals? {
    for case let records as RecordedSignals in intentObservers { return records }
    return nil
  }
}

/// The signals that a host records.
final class RecordedSignals: IntentObserver {
  var signals: [String: RecordedSignal] = [:]

  /// Returns the signals that have changed since the last call, and their values as text.
  func takeChanges() -> [(name: String, value: String)] {
    signals.sorted { $0.key < $1.key }.compactMap { name, signal in
      signal.takeChange().map { (name, $0) }
    }
  }

  func willPerform(_ event: IntentEvent) {}
  func didPerform(_ event: IntentEvent, throwing error: (any Error)?) {}
}

/// A signal that is recorded.
final class RecordedSignal {
  private let read: () -> String
  /// Sets the value of a text, and returns whether there is one.
  let set: (String) -> Bool
  private var last: String
  private var effect: Effect?

  init<Value: LosslessStringConvertible>(_ signal: Signal<Value>, onChange: @escaping () -> Void) {
    read = { signal.peek().description }
    set = { text in
      guard let value = Value(text) else { return false }
      signal.value = value
      return true
    }
    last = signal.peek().description
    // It belongs to the host, whatever is evaluated while it is made.
    effect = detached {
      Effect(name: "a recorded signal") {
        _ = signal.value
        untracked { onChange() }
      }
    }
  }

  deinit { effect?.cancel() }

  func takeChange() -> String? {
    let value = read()
    defer { last = value }
    return value == last ? nil : value
  }
}

/// An error about a signal that a log sets.
public enum RecordedSignalError: Error, Equatable, CustomStringConvertible {
  /// No signal is recorded under the name on the host of the replay.
  case unknown(String)
  /// The signal has no value of this text.
  case noValue(String, text: String)

  /// A message that names the signal.
  public var description: String {
    switch self {
    case .unknown(let name):
      "the host of the replay records no signal as \"\(name)\": see ViewHost.record(_:as:)"
    case .noValue(let name, let text):
      "the signal recorded as \"\(name)\" has no value \(text.debugDescription)"
    }
  }
}
