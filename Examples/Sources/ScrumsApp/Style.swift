import ScrumsMVI
import ScrumsMVVM
package import ScrumsModel
import ScrumsVIPER
package import Signals

/// How the screens are written: all three look and do the same.
package enum Style: String, CaseIterable, Sendable {
  /// Model, view, intent: views on the model itself.
  case mvi
  /// Model, view, view model.
  case mvvm
  /// View, interactor, presenter, entity, router.
  case viper

  /// The app in this style.
  @ElementBuilder
  package func app(_ world: World) -> Element {
    switch self {
    case .mvi: MVIScreen(world)
    case .mvvm: MVVMScreen(world)
    case .viper: VIPERScreen(world)
    }
  }
}
