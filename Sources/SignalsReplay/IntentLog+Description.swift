// The readable form of a log.

import Signals

extension IntentLog: CustomStringConvertible {
  /// A line for each entry, followed by its changes.
  public var description: String {
    entries.enumerated().map { "\($0 + 1) \($1)" }.joined(separator: "\n")
  }
}

extension IntentLog.Entry: CustomStringConvertible {
  /// The title, the error and the duration, followed by a line for each change.
  public var description: String {
    var line = title
    if let error { line += ": \(error)" }
    line += " (\(nanoseconds / 1000) µs)"
    return changes.isEmpty ? line : "\(line)\n\(changes)"
  }

  /// The name, element, place, input and kind of the entry.
  package var title: String {
    var title = name
    if let element { title += " #\(element)" }
    if let place { title += " at \(place.map { "\($0)" }.joined(separator: "."))" }
    switch input {
    case .text(let text): title += " = \(text.debugDescription)"
    case .flag(let isOn): title += " = \(isOn)"
    case .choice(let option): title += " = \(option)"
    case .move(let offsets, let destination): title += " moves \(offsets) to \(destination)"
    case .submit: title += " submits"
    case .tap, .key, nil: break
    }
    switch kind {
    case .beginning: title += " begins"
    case .end: title += " ends"
    case .intent, .commit, .focus, .signal: break
    }
    return title
  }

  var nanoseconds: Int64 {
    let (seconds, attoseconds) = duration.components
    let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (all, isMore) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    // Saturates: a log made by hand may have a duration of more than 292 years.
    return isTooLong || isMore ? (seconds < 0 ? .min : .max) : all
  }
}
