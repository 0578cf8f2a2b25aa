// The calls that the table of "Migrating from TCA" names: that they compile is the test.

import Foundation
import Signals
import SignalsReplay
import SignalsTesting

private func calls(_ app: TestHost, _ loader: Loader<Int>, _ store: Store, _ log: IntentLog) throws
{
  _ = app.host.cancelIntents("id")
  loader.cancel()
  app.host.onExplanation = { print($0) }
  app.host.intentLog = log
  try app.host.replay(log)
  app.expectChanges("", exhaustivity: .partial) {}
  let token = store.commits.sink { print($0) }
  token.cancel()
  _ = try JSONEncoder().encode(store.snapshot())
}
