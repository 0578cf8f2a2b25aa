package import Foundation
package import ScrumsModel
package import Signals

/// What the list shows.
package struct ListDisplay: Equatable {
  /// A line of it.
  package struct Line: Equatable, Identifiable {
    package let id: UUID
    package let title: String
    package let summary: String
    package let color: ScrumColor
  }

  package let title: String
  package let status: String?
  package let isLoading: Bool
  package let lines: [Line]
}

/// Says what the list shows, and what becomes of taps.
package final class ListPresenter {
  private let interactor: ListInteractor
  private let router: Router

  /// Presents the scrums of an interactor.
  package init(_ interactor: ListInteractor, _ router: Router) {
    (self.interactor, self.router) = (interactor, router)
  }

  package private(set) lazy var display = Computed { [unowned self] in
    let scrums = interactor.scrums
    return ListDisplay(
      title: "Daily scrums: \(scrums.count)", status: interactor.status,
      isLoading: interactor.isLoading,
      lines: scrums.map { .init(id: $0.id, title: $0.title, summary: $0.summary, color: $0.color) })
  }

  package func didTapAdd() { router.show(.form(ScrumForm())) }
  package func didTap(_ line: ListDisplay.Line) { router.show(.detail(line.id)) }
  package func didTapRefresh() async { await interactor.refresh() }
  package func didTapStop() { interactor.stop() }
}
