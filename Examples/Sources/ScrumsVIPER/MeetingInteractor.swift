package import ScrumsModel
import Signals

/// What can be done in a meeting.
package final class MeetingInteractor {
  let scrum: DailyScrum
  private let world: World
  private var ticking: (any Cancellable)?

  /// Works on the meeting of a scrum.
  package init(_ world: World, _ scrum: DailyScrum) { (self.world, self.scrum) = (world, scrum) }

  func startTicking(_ tick: @escaping (Int) -> Void) { ticking = world.ticker(tick) }
  func stopTicking() { ticking = nil }
  func record(_ meeting: Meeting) { scrum.record(meeting, at: world.now()) }
}
