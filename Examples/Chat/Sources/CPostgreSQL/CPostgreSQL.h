// libpq, and the two calls of it that take arrays of pointers.

#ifndef CPOSTGRESQL_H
#define CPOSTGRESQL_H

#include <libpq-fe.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>

/// Connects to a server, or tries to for five seconds if the target has no `connect_timeout`.
static inline PGconn *signals_pq_connect(const char *target) {
  // What the target has comes later, and wins. A server that is gone is noticed within some 20 seconds.
  const char *keys[] = {"connect_timeout",    "keepalives_idle",  "keepalives_interval",       "keepalives_count",
                        "tcp_user_timeout",   "fallback_application_name", "dbname", NULL};
  const char *values[] = {"5", "10", "5", "2", "10000", "signals", target, NULL};
  return PQconnectdbParams(keys, values, 1);
}

/// Sends a prepared statement whose parameters, in binary form, follow each other in `bytes`.
///
/// A size of -1 is a null. Returns whether the statement was queued.
static inline int signals_pq_send(PGconn *connection, const char *statement, int count,
                                  const uint8_t *bytes, const int32_t *sizes) {
  const char *values[16];
  int formats[16];
  if (count > 16) return 0;
  for (int index = 0; index < count; index++) {
    values[index] = sizes[index] < 0 ? NULL : (const char *)bytes;
    formats[index] = 1;
    if (sizes[index] > 0) bytes += sizes[index];
  }
  return PQsendQueryPrepared(connection, statement, count, values, sizes, formats, 1);
}

/// Waits until the connection has bytes, can take some if `writes` is set, or the pipe has bytes.
///
/// Returns -1 after a failure, 0 when `milliseconds` are over, and otherwise the sum of 1 if the
/// connection is ready and 2 if the pipe is.
static inline int signals_pq_wait(PGconn *connection, int writes, int pipe, int milliseconds) {
  struct pollfd files[2] = {
      {.fd = connection ? PQsocket(connection) : -1, .events = POLLIN | (writes ? POLLOUT : 0)},
      {.fd = pipe, .events = POLLIN}};
  int count = poll(files, 2, milliseconds);
  if (count <= 0) return count;
  return (files[0].revents ? 1 : 0) | (files[1].revents ? 2 : 0);
}

/// Replaces the handler that prints the notices of the server.
static inline void signals_pq_ignore(void *context, const PGresult *result) {}
static inline void signals_pq_quiet(PGconn *connection) {
  PQsetNoticeReceiver(connection, signals_pq_ignore, NULL);
}

#endif
