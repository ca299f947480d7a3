import { bytes, commaList, duration, hostPort, serverTlsOptions } from "lifecycle";
import { z } from "zod";
import { coldOptions } from "./cold-options.ts";
import { maxQueryThreads } from "./engine/thread-pool-size.ts";
import { tenantAges } from "./tenant-ages.ts";

/**
 * Options of a process with an embedded engine. Limits have the names of ClickHouse's settings, if such settings exist:
 * `storage.max-query-memory` is `max_memory_usage`, `storage.max-result-bytes` is `max_result_bytes`.
 */
export const storageOptions = z.object({
  "storage.data-dir": z
    .string()
    .min(1)
    .default("./data/storage")
    .describe("Folder of the data; created when it is not there. One process at a time."),
  // By default, only this machine can connect, because without a password, everybody who reaches the port can read and
  // write.
  "storage.http.host-port": hostPort("127.0.0.1:8123").describe("ClickHouse's HTTP protocol."),
  ...serverTlsOptions("storage.http"),
  "storage.http.user": z
    .string()
    .min(1)
    .default("default")
    .describe("User name; matters with a password only."),
  "storage.http.password": z
    .string()
    .default("")
    .describe("Password for the HTTP protocol; without one everybody who reaches the port is let in."),
  "storage.http.password-file": z
    .string()
    .default("")
    .describe("File with the password in one line, instead of --storage.http.password."),
  "storage.http.read-only-user": z
    .string()
    .min(1)
    .default("reader")
    .describe("Name of the user that may only read; there is one when it has a password."),
  "storage.http.read-only-password": z.string().default("").describe("Password of the read-only user."),
  "storage.http.read-only-password-file": z
    .string()
    .default("")
    .describe("File with the read-only user's password in one line."),
  // A session keeps its temporary tables until it expires, so sessions above the limit are refused instead of waiting.
  "storage.http.max-sessions": z
    .number()
    .int()
    .min(0)
    .max(1000)
    .default(64)
    .describe("Sessions (session_id) that clients may hold at once; each takes some MiB."),
  // A client that stops reading keeps its query's memory, and its query counts as one of the concurrent queries.
  "storage.http.send-timeout": duration("1m").describe(
    "A client that takes nothing of its result for so long is cut off, and its query cancelled.",
  ),
  "storage.http.max-body-bytes": bytes("256MiB").describe("Largest body of a request, decompressed."),
  // Above this limit, every query that needs memory fails. `storage.max-query-memory` prevents a single query from
  // causing that.
  "storage.max-memory": bytes("4GiB").describe(
    "Memory of the engine as a whole; at most 90 % of the machine's whatever is given.",
  ),
  "storage.max-query-memory": bytes("2GiB").describe(
    "Memory of one query; a query over it is refused alone.",
  ),
  "storage.max-result-bytes": bytes("512MiB").describe(
    "Largest result of a query, before compression. Results are sent as they are made, not held.",
  ),
  "storage.query-timeout": duration("10m").describe("Longest time of one query; 0 is no limit."),
  // Only whole days are dropped, so spans stay up to one day longer.
  "storage.retention": duration("0").describe(
    "Days of spans whose last moment is older are dropped: 7d, 36h; 0 keeps all.",
  ),
  "storage.tenant-retention": tenantAges()
    .describe("Longest age of the spans of single tenants, a day or more, as name=age: acme=7d,beta=36h.")
    .meta({ placeholder: "name=age,…" }),
  // The newest day is never dropped, because spans would then vanish just after they were stored.
  "storage.max-bytes": bytes("0").describe(
    "Size of the stored data on disk; above it the oldest days are dropped, never the newest. 0 is no limit.",
  ),
  ...coldOptions.shape,
  "storage.retention-databases": commaList("tracing").describe(
    "Databases whose tables lose their oldest days: those that are partitioned by one column of type Date.",
  ),
  "storage.retention-interval": duration("5m").describe("Time between two looks for days to drop."),
  // 168h are a week. With a shorter interval, the disk is read more often; with a longer interval, a damaged byte is
  // found later.
  "storage.check-interval": duration("168h").describe(
    "Every part of the stored tables is read whole and compared with its checksums once in so long, while no query runs; 0s: never.",
  ),
  "storage.damaged-retention": duration("720h").describe(
    "Damaged parts that were set aside longer ago are deleted; answers about their time say so for 30 days more. 0 keeps them.",
  ),
  "storage.damaged-max-bytes": bytes("10GiB").describe(
    "Most bytes of damaged parts that are set aside; the oldest are deleted first. 0 is no limit.",
  ),
  // Merges need space for a copy of the merged parts. Below this limit, the engine could not even reduce the number of
  // parts.
  "storage.min-free-bytes": bytes("1GiB").describe(
    "With less room on the disk of the data folder inserts are refused (ClickHouse's code 243, HTTP 503); 0 never refuses.",
  ),
  // Each running query needs a thread of libuv's pool, whose size sets the limit `maxQueryThreads`.
  "storage.max-concurrent-queries": z
    .number()
    .int()
    .min(1)
    .max(maxQueryThreads)
    .default(32)
    .describe(`Queries that run at once, at most ${maxQueryThreads}; more wait.`),
  "storage.max-waiting-queries": z
    .number()
    .int()
    .min(0)
    .default(256)
    .describe("Queries that wait for a place; one more is refused with HTTP 503 and ClickHouse's code 202."),
});
