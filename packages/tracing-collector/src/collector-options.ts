import { bytes, commaList, hostPort } from "lifecycle";
import { z } from "zod";

/** Options of `tracing-collector`. Names are the public model's, but for the journal's and ClickHouse's. */
export const collectorOptions = z.object({
  "span-storage.type": z
    .enum(["clickhouse", "memory"])
    .default("clickhouse")
    .describe("Where spans go; memory is this process's own, for tests."),
  "clickhouse.url": commaList("http://127.0.0.1:8123").describe(
    "HTTP addresses of tracing-storage or ClickHouse; the next one is used when one is away.",
  ),
  "clickhouse.database": z.string().default("tracing").describe("Database of the tables."),
  "clickhouse.user": z.string().default("default").describe("User of ClickHouse."),
  "clickhouse.password": z.string().default("").describe("The user's password."),
  "collector.otlp.enabled": z.boolean().default(true).describe("Whether OTLP is served."),
  "collector.otlp.grpc.host-port": hostPort(":4317").describe("Address of OTLP over gRPC."),
  "collector.otlp.grpc.max-message-size": bytes("4MiB").describe("Largest message, decompressed."),
  "collector.otlp.http.host-port": hostPort(":4318").describe("Address of OTLP over HTTP."),
  "collector.grpc-server.host-port": hostPort(":14250").describe("Address of the api_v2 gRPC service."),
  "collector.grpc-server.max-message-size": bytes("4MiB").describe("Largest message, decompressed."),
  "collector.journal.dir": z
    .string()
    .default("./data/collector")
    .describe("Folder for spans that are acknowledged and not yet in storage; one collector each.")
    .meta({ placeholder: "path" }),
  "collector.journal.sync": z
    .enum(["always", "interval", "off"])
    .default("always")
    .describe("When acknowledged spans are synced to disk: before the answer, every second, or never."),
  "collector.journal.max-bytes": bytes("1GiB").describe(
    "Most bytes in the journal; senders are asked to try later when it is full.",
  ),
});

export type CollectorOptions = z.infer<typeof collectorOptions>;
