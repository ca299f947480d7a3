import { clientTlsOptions, commaList, duration } from "lifecycle";
import { z } from "zod";

/** Where spans go. */
export const storageOptions = z.object({
  "span-storage.type": z
    .enum(["clickhouse", "grpc", "memory"])
    .default("clickhouse")
    .describe("Where spans go; grpc is a remote storage, memory this process's own, for tests."),
  "clickhouse.url": commaList("http://127.0.0.1:8123").describe(
    "HTTP addresses of tracing-storage or ClickHouse; the next one is used when one is away.",
  ),
  "clickhouse.database": z.string().default("tracing").describe("Database of the tables."),
  "clickhouse.user": z.string().default("default").describe("User of ClickHouse."),
  "clickhouse.password": z.string().default("").describe("The user's password."),
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
