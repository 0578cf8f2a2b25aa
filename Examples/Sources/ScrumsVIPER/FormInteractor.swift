import Foundation
package import ScrumsModel
import Signals

/// What can be done with the draft of a scrum.
package final class FormInteractor {
  private let draft: Draft<DailyScrum>

  /// Drafts a scrum of a world, or an unstored one that is added when it is saved.
  package init(_ world: World, _ scrum: DailyScrum) {
    if scrum.store == nil {
      draft = world.store.draft(DailyScrum.self)
      draft.id = scrum.id
    } else {
      draft = world.store.draft(of: scrum)
    }
  }

  var original: DailyScrum? { draft.original }
  var scrum: DailyScrum { draft.object }
  var titleErrors: [String] { draft.shownErrors(at: \.title).map(\.message) }
  var minutesErrors: [String] { draft.shownErrors(at: \.minutes).map(\.message) }
  var attendeesErrors: [String] { draft.shownErrors(at: \.attendees).map(\.message) }

  /// Saves what was changed; the answer is the id of the stored scrum.
  func save() throws -> UUID { try draft.commit().id }
}
