// Each call that the table of the page names and its example does not have.

import Foundation
import Signals
import SignalsTesting
import Testing

func calls(_ app: TestHost, _ loader: Loader<Int>, _ store: Store, _ log: IntentLog) throws {
  _ = app.host.cancelIntents("id")
  loader.cancel()
  app.host.printChanges()
  app.host.intentLog = log
  try app.host.replay(log)
  app.expectChanges("", .partial) {}
  let token = store.commits.sink { print($0) }
  token.cancel()
  _ = try JSONEncoder().encode(store.snapshot())
}
