package import ScrumsModel
import Signals

/// What can be done with one scrum.
package final class DetailInteractor {
  let scrum: DailyScrum
  private let world: World

  /// Works on a scrum of a world.
  package init(_ world: World, _ scrum: DailyScrum) { (self.world, self.scrum) = (world, scrum) }

  func newMeeting() -> Meeting { Meeting(of: scrum) }
  func delete() throws { try world.store.delete(scrum) }
}
