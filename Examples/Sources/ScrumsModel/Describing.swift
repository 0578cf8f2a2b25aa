import Foundation
package import Signals
import SignalsSync

// What people read of the model: the same words in all three apps.

extension DailyScrum {
  /// The line of a list: how many, how long, and whether others have it.
  package var summary: String {
    "\(attendees.count.counted("attendee")), \(minutes) min"
      + (hasPendingChanges ? ", not sent" : "")
  }
}

extension History {
  /// The line of a list: when, how many, how long.
  package var summary: String {
    "\(date.formatted(.iso8601.year().month().day())): "
      + "\(attendees.count.counted("attendee")), \(minutes) min"
  }
}

extension Meeting {
  /// How much is done, from 0 to 1.
  package var progress: Double {
    remaining <= 0 ? 1 : Double(elapsed) / Double(elapsed + remaining)
  }

  /// The time, done and left.
  package var time: String {
    "\(elapsed.asMinutes) elapsed, \(remaining.asMinutes) left\(isPaused ? ", paused" : "")"
  }

  /// Who speaks.
  package var speaker: String { "Speaker \(current + 1): \(speakers[current].name)" }

  /// How far in the row of speakers it is.
  package var place: String {
    guard let next = speakers.firstIndex(where: { !$0.isCompleted }) else {
      return "No more speakers"
    }
    return next == speakers.count - 1
      ? "Last Speaker" : "Speaker \(next + 1) of \(speakers.count)"
  }
}

extension Binding where Value == Int {
  /// The number as it is typed.
  package var digits: Binding<String> { map({ "\($0)" }, back: { Int(typed: $0) }) }
}

extension Int {
  /// The number that somebody types: none yet is 0, so that the field can be emptied.
  package init?(typed text: String) {
    guard let number = text.isEmpty ? 0 : Int(text) else { return nil }
    self = number
  }

  /// A number of things: `1 attendee`, `2 attendees`.
  fileprivate func counted(_ thing: String) -> String { "\(self) \(thing)\(self == 1 ? "" : "s")" }

  /// Seconds as minutes and seconds.
  fileprivate var asMinutes: String { "\(self / 60):\(self % 60 < 10 ? "0" : "")\(self % 60)" }
}

extension String {
  /// Whether there is nothing to read.
  package var isBlank: Bool { allSatisfy(\.isWhitespace) }

  /// The text without white space around it.
  package var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
