import { z } from "zod";
import { clientTlsOptions } from "../tls/tls-options.ts";

/** Option field for addresses: several addresses separated by commas, or one address for each use of the option. */
function addressList(defaultValue: string) {
  return z
    .string()
    .transform((text): readonly string[] => text.split(/[,\s]+/).filter((part) => part !== ""))
    .prefault(defaultValue)
    .meta({ placeholder: "url,…", repeatable: true });
}

/**
 * Options of a process that stores spans in ClickHouse, on one server or a cluster.
 * @param defaultUrl default address; "": no default
 * @param what the purpose of the addresses, for the help
 */
export function clickHouseOptions(defaultUrl: string, what: string) {
  return {
    "clickhouse.url": addressList(defaultUrl).describe(what),
    "clickhouse.database": z.string().default("tracing").describe("Database of the tables."),
    "clickhouse.user": z
      .string()
      .default("default")
      .describe("User of ClickHouse, where the address names none."),
    "clickhouse.password": z.string().default("").describe("The user's password."),
    "clickhouse.password-file": z
      .string()
      .default("")
      .describe("File with the user's password in one line, instead of --clickhouse.password.")
      .meta({ placeholder: "path" }),
    ...clientTlsOptions("clickhouse"),
    "clickhouse.cluster": z
      .string()
      .default("")
      .describe(
        "Cluster of ClickHouse that keeps the spans, by its name in the servers' configuration: tables are made for it on all servers of --clickhouse.url. Empty: one server.",
      ),
    "clickhouse.replicated": z
      .boolean()
      .default(true)
      .describe(
        "Tables of a cluster are replicated, which needs a Keeper and the macros shard and replica. Otherwise each server is a shard.",
      ),
    "clickhouse.insert-quorum": z
      .string()
      .regex(/^(?:auto|\d{1,2})$/, "is neither auto nor a number of replicas")
      .transform((text) => (text === "auto" ? "auto" : Number(text)))
      .prefault("0")
      .describe(
        "Replicas of a shard that must have a block before it is acknowledged; auto: more than half; 0: one is enough.",
      )
      .meta({ placeholder: "auto or number" }),
    "clickhouse.on-cluster": z
      .boolean()
      .default(false)
      .describe("Make the tables of a cluster with ON CLUSTER rather than server by server."),
  };
}

const shape = z.object(clickHouseOptions("", ""));

/** Parsed options of `clickHouseOptions`. */
export type ClickHouseOptions = z.infer<typeof shape>;
