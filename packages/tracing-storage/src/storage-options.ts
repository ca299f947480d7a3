import { bytes, duration, hostPort } from "lifecycle";
import { z } from "zod";
import { maxQueryThreads } from "./engine/thread-pool-size.ts";

export const storageOptions = z.object({
  "storage.data-dir": z
    .string()
    .min(1)
    .default("./data/storage")
    .describe("Folder of the data; created when it is not there. One process at a time."),
  "storage.http.host-port": hostPort("127.0.0.1:8123").describe("ClickHouse's HTTP protocol."),
  "storage.http.user": z
    .string()
    .min(1)
    .default("default")
    .describe("User name; matters with a password only."),
  "storage.http.password": z
    .string()
    .default("")
    .describe("Password for the HTTP protocol; without one everybody who reaches the port is let in."),
  "storage.http.max-body-bytes": bytes("256MiB").describe("Largest body of a request, decompressed."),
  "storage.max-memory": bytes("4GiB").describe(
    "Memory of the engine as a whole; at most 90 % of the machine's whatever is given.",
  ),
  "storage.max-query-memory": bytes("2GiB").describe(
    "Memory of one query; a query over it is refused alone.",
  ),
  "storage.max-result-bytes": bytes("512MiB").describe("Largest result of a query, before compression."),
  "storage.query-timeout": duration("10m").describe("Longest time of one query; 0 is no limit."),
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
