/// A meeting under way, as a value: who speaks, since when, and who has spoken.
///
/// Everybody gets the same time. It knows no clock: whoever has one says how much time has passed.
package struct Meeting: Codable, Equatable, Sendable {
  /// Somebody who speaks.
  package struct Speaker: Codable, Equatable, Sendable {
    package let name: String
    package fileprivate(set) var isCompleted = false
  }

  package private(set) var speakers: [Speaker]
  /// The place of who speaks.
  package private(set) var current = 0
  /// The seconds spoken so far, and those that are left.
  package private(set) var elapsed = 0
  package private(set) var remaining: Int
  /// Whether time stands still for it.
  package var isPaused = false
  /// What was noted meanwhile.
  package var transcript = ""
  private let length: Int

  /// Begins a meeting; without attendees there is one who speaks all the same.
  package init(minutes: Int, attendees: [String]) {
    length = minutes * 60
    remaining = length
    speakers = (attendees.isEmpty ? ["Player 1"] : attendees).map { Speaker(name: $0) }
  }

  /// Begins the meeting of a scrum.
  package init(of scrum: DailyScrum) {
    self.init(minutes: scrum.minutes, attendees: scrum.attendees)
  }

  /// How long each may speak, in whole seconds.
  package var secondsPerSpeaker: Int { max(length / speakers.count, 1) }

  /// Whether all have spoken.
  package var isOver: Bool { speakers.allSatisfy(\.isCompleted) }

  /// The second that begins now, counted from when the present speaker began.
  private var second: Int { elapsed - current * secondsPerSpeaker + 1 }

  /// Lets time pass, unless it is paused; the answer is how often somebody else's turn came.
  @discardableResult
  package mutating func advance(by seconds: Int) -> Int {
    if isPaused { return 0 }
    return (0..<seconds).reduce(0) { turns, _ in turns + (tick(second) ? 1 : 0) }
  }

  /// Notes that the present speaker has spoken so long; the answer is whether the time was over.
  ///
  /// More time than a speaker has is ignored, and so is everything when all have spoken.
  @discardableResult
  package mutating func tick(_ second: Int) -> Bool {
    guard !isOver, second <= secondsPerSpeaker else { return false }
    elapsed = current * secondsPerSpeaker + second
    remaining = max(length - elapsed, 0)
    guard second == secondsPerSpeaker else { return false }
    change(to: current + 1)
    return true
  }

  /// Gives the turn to the next speaker.
  package mutating func skip() { change(to: current + 1) }

  private mutating func change(to next: Int) {
    speakers[next - 1].isCompleted = true
    guard next < speakers.count else { return }
    current = next
    elapsed = next * secondsPerSpeaker
    remaining = max(length - elapsed, 0)
  }
}
