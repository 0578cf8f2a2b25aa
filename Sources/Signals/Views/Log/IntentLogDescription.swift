// A log as a person reads it.

extension IntentLog: CustomStringConvertible {
  /// Each entry on a line, with what it changed below.
  public var description: String {
    entries.enumerated().map { "\($0 + 1) \($1)" }.joined(separator: "\n")
  }
}

extension IntentLog.Entry: CustomStringConvertible {
  /// What was asked, how it ended and how long it took, and a line for each thing that changed.
  public var description: String {
    var line = title
    if let error { line += ": \(error)" }
    line += " (\(nanoseconds / 1000) µs)"
    return changes.isEmpty ? line : "\(line)\n\(changes)"
  }

  /// What was asked.
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
    case .intent, .commit, .focus: break
    }
    return title
  }

  var nanoseconds: Int64 {
    let (seconds, attoseconds) = duration.components
    let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (all, isMore) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    // No intent takes 292 years; a log that was made by hand may say so.
    return isTooLong || isMore ? (seconds < 0 ? .min : .max) : all
  }
}
