package import ScrumsModel
package import Signals

/// What the screen of a scrum shows.
package struct DetailDisplay: Equatable {
  package let title: String
  package let facts: String
  package let color: ScrumColor
  package let attendees: [String]
  package let historyTitle: String
  package let history: [String]
}

/// Says what the screen of a scrum shows, and what becomes of taps.
package final class DetailPresenter {
  private let interactor: DetailInteractor
  private let router: Router

  /// Presents the scrum of an interactor.
  package init(_ interactor: DetailInteractor, _ router: Router) {
    (self.interactor, self.router) = (interactor, router)
  }

  package private(set) lazy var display = Computed { [unowned self] in
    let scrum = interactor.scrum
    return DetailDisplay(
      title: scrum.title, facts: "\(scrum.minutes) min, \(scrum.color.name)",
      color: scrum.color, attendees: scrum.attendees,
      historyTitle: "History: \(scrum.history.count)",
      history: scrum.history.flatMap { past in
        past.transcript.isBlank ? [past.summary] : [past.summary, past.transcript]
      })
  }

  package func didTapStart() {
    router.show(.meeting(interactor.scrum.id, interactor.newMeeting()))
  }

  package func didTapEdit() { router.show(.form(ScrumForm(interactor.scrum))) }
  package func didTapBack() { router.show(.list) }

  package func didTapDelete() throws {
    try interactor.delete()
    router.show(.list)
  }
}
