import ScrumsModel
package import Signals

/// What a meeting shows.
package struct MeetingDisplay: Equatable {
  package let title: String
  package let progress: Double
  package let time: String
  package let speaker: String
  package let place: String
  package let notes: String
}

/// Says what a meeting shows, and what becomes of taps and of time.
package final class MeetingPresenter {
  private let interactor: MeetingInteractor
  private let router: Router

  /// Presents the meeting that a router is at.
  package init(_ interactor: MeetingInteractor, _ router: Router) {
    (self.interactor, self.router) = (interactor, router)
  }

  private var meeting: Meeting {
    get { router.screen.meeting ?? Meeting(of: interactor.scrum) }
    set { router.keep(newValue) }
  }

  package private(set) lazy var display = Computed { [unowned self] in
    let meeting = meeting
    return MeetingDisplay(
      title: interactor.scrum.title, progress: meeting.progress, time: meeting.time,
      speaker: meeting.speaker, place: meeting.place, notes: meeting.transcript)
  }

  package func didAppear() {
    interactor.startTicking { [unowned self] in meeting.advance(by: $0) }
  }

  package func didDisappear() { interactor.stopTicking() }
  package func didType(notes: String) { meeting.transcript = notes }
  package func didTapSkip() { meeting.skip() }

  package func didTapEnd() {
    interactor.record(meeting)
    router.show(.detail(interactor.scrum.id))
  }
}
