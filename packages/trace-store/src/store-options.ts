import { clickHouseOptions, clientTlsOptions, duration, type TenancyOptions } from "lifecycle";
import { z } from "zod";

/**
 * Options of a process that writes or reads spans. An option that Jaeger 1 also has gets the same name.
 * @param type help text of `--span-storage.type`
 */
export function storeOptions(type: string) {
  return {
    "span-storage.type": z.enum(["clickhouse", "grpc", "memory"]).default("clickhouse").describe(type),
    "span-storage.partial-answers": z
      .enum(["allow", "refuse"])
      .default("allow")
      .describe(
        "While a shard of a ClickHouse cluster is away: allow answers from the others, which say that they are partial, or refuse them.",
      ),
    ...clickHouseOptions(
      "http://127.0.0.1:8123",
      "HTTP addresses of tracing-storage or ClickHouse: of several, those that answer take turns.",
    ),
    "grpc-storage.server": z
      .string()
      .default("")
      .describe("host:port of a remote storage, ours or another's, for --span-storage.type=grpc.")
      .meta({ placeholder: "host:port" }),
    "grpc-storage.version": z
      .enum(["1", "2"])
      .default("1")
      .describe(
        "Version of the remote storage API: 1 for Jaeger 1 and others, 2 for Jaeger 2; tracing-storage has both.",
      ),
    "grpc-storage.connection-timeout": duration("5s").describe(
      "How long a call to the remote storage waits for a connection.",
    ),
    ...clientTlsOptions("grpc-storage"),
  };
}

type Fields = ReturnType<typeof storeOptions>;

/** Parsed options of `storeOptions` and of tenancy, because a remote storage receives the tenant in a header. */
export type StoreOptions = { readonly [Name in keyof Fields]: z.infer<Fields[Name]> } & TenancyOptions;
