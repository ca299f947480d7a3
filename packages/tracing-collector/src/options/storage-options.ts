import { clickHouseOptions, clientTlsOptions, duration } from "lifecycle";
import { z } from "zod";

/** Where spans go. */
export const storageOptions = z.object({
  "span-storage.type": z
    .enum(["clickhouse", "grpc", "memory"])
    .default("clickhouse")
    .describe("Where spans go; grpc is a remote storage, memory this process's own, for tests."),
  ...clickHouseOptions(
    "http://127.0.0.1:8123",
    "HTTP addresses of tracing-storage or ClickHouse: of several, those that answer take turns.",
  ),
  "grpc-storage.server": z
    .string()
    .default("")
    .describe("host:port of a remote storage, ours or another's, for --span-storage.type=grpc.")
    .meta({ placeholder: "host:port" }),
  "grpc-storage.connection-timeout": duration("5s").describe(
    "How long a call to the remote storage waits for a connection.",
  ),
  ...clientTlsOptions("grpc-storage"),
});
