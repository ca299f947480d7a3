import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import { StartError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { secretOf } from "../options/secret-of.ts";
import { openClientTls } from "../tls/client-tls.ts";
import type { ClickHouseOptions } from "./clickhouse-options.ts";

const gaugeName = "tracing_clickhouse_host_up";
const hedgesName = "tracing_clickhouse_hedged_calls_total";

/**
 * Settings of the ClickHouse engine, made from the options. Changes of a server's availability are logged, and shown by
 * the metric `tracing_clickhouse_host_up`. Slow calls, which may also go to a second server, are counted in
 * `tracing_clickhouse_hedged_calls_total`, by kind and outcome.
 * @param metrics registry; several engines of a process may use the same registry
 * @throws StartError for an unreadable password file or TLS file, and for TLS options with an address without TLS
 */
export function clickHouseServers(options: ClickHouseOptions, log: Logger, metrics?: Registry) {
  const up = metrics === undefined ? undefined : gaugeOf(metrics);
  const hedges = metrics === undefined ? undefined : hedgesOf(metrics);
  const areUp = new Map<string, boolean>();
  const password = secretOf(options, "clickhouse.password");
  if (options["clickhouse.tls.enabled"] && options["clickhouse.url"].some((url) => !/^https:/i.test(url))) {
    throw new StartError(
      "--clickhouse.tls.enabled: every address of --clickhouse.url must begin with https://",
    );
  }
  return {
    urls: options["clickhouse.url"],
    user: options["clickhouse.user"],
    password,
    tls: openClientTls(options, "clickhouse", log),
    database: options["clickhouse.database"],
    cluster:
      options["clickhouse.cluster"] === ""
        ? undefined
        : ({
            name: options["clickhouse.cluster"],
            isReplicated: options["clickhouse.replicated"],
            // The option's transform gives "auto" the type string.
            insertQuorum: options["clickhouse.insert-quorum"] as number | "auto",
            onCluster: options["clickhouse.on-cluster"],
          } as const),
    onHedge(kind: string, outcome: "won" | "lost" | "denied") {
      hedges?.inc({ kind, outcome });
    },
    onHostChange(host: string, isUp: boolean, reason: string) {
      up?.set({ host }, isUp ? 1 : 0);
      const wasUp = areUp.get(host) ?? true;
      areUp.set(host, isUp);
      if (isUp && !wasUp) {
        log.info({ host }, "ClickHouse answers again");
      } else if (!isUp && wasUp) {
        log.warn({ host, reason }, "ClickHouse does not answer");
      }
    },
  };
}

function gaugeOf(metrics: Registry): Gauge<"host"> {
  const known = metrics.getSingleMetric(gaugeName);
  if (known instanceof Gauge) {
    return known;
  }
  return new Gauge({
    name: gaugeName,
    help: "1 for a server of ClickHouse that answers, 0 for one that does not.",
    labelNames: ["host"],
    registers: [metrics],
  });
}

function hedgesOf(metrics: Registry): Counter<"kind" | "outcome"> {
  const known = metrics.getSingleMetric(hedgesName);
  if (known instanceof Counter) {
    return known;
  }
  return new Counter({
    name: hedgesName,
    help: "Reads and inserts that also went to a second ClickHouse server, because the first took long. Outcomes: won (the second answered first), lost, denied (too many recently, so no second server was tried).",
    labelNames: ["kind", "outcome"],
    registers: [metrics],
  });
}
