import { Gauge } from "@prometheus-io/client";
import { jsonReply, requireMethod } from "server-core/admin/admin-message";
import type { AdminRoute } from "server-core/admin/admin-route";
import { listPageOf, pageOf } from "server-core/admin/list-page";
import { ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import { z } from "zod";
import { activeHealthPrefix, checkedHealthPrefix } from "../handlers/reverse-proxy/active-health.ts";
import {
  type UpstreamDetail,
  upstreamDetailTopic,
  upstreamFailsPrefix,
  upstreamPrefix,
} from "../handlers/reverse-proxy/upstream.ts";

/** State of one health check. Proxies that share an upstream may check it differently. */
interface CheckState {
  /** Key of the check settings. Upstreams with equal checks share results. */
  readonly check: string;
  /** True while the checks report the upstream as up. A change may need several results in a row. */
  readonly healthy: boolean;
  /** True once a check has ended; before that `healthy` is only assumed. */
  readonly checked: boolean;
  /** Consecutive checks that contradict `healthy`. */
  readonly against: number;
}

/**
 * Reads the states of active checks from memory that threads share. The lowest bit of a count means "down". The other
 * bits count consecutive checks that contradict this state.
 */
function checksByAddress(context: ModuleContext): Map<string, CheckState[]> {
  const checks = new Map<string, CheckState[]>();
  const checked = new Set(
    context.shared
      .list(checkedHealthPrefix)
      .filter(({ count }) => count > 0)
      .map(({ name }) => name.slice(checkedHealthPrefix.length)),
  );
  for (const { name, count } of context.shared.list(activeHealthPrefix)) {
    const rest = name.slice(activeHealthPrefix.length);
    const cut = rest.indexOf("/");
    const address = rest.slice(cut + 1);
    const state = {
      ...{ check: rest.slice(0, cut), healthy: count % 2 === 0, checked: checked.has(rest) },
      against: Math.floor(count / 2),
    };
    checks.set(address, [...(checks.get(address) ?? []), state]);
  }
  return checks;
}

/** Time in RFC 3339 form; null for 0, which means never. */
function isoTime(ms: number): string | null {
  return ms === 0 ? null : new Date(ms).toISOString();
}

/** Fields of an upstream that Caddy's list lacks. */
interface MergedDetail {
  /** False when an active check reports the upstream as down. */
  readonly healthy: boolean;
  /** Milliseconds from the last request to its answer; null before the first answer. */
  readonly latency_ms: number | null;
  /** Time of the last answer, RFC 3339; null before the first. */
  readonly last_response: string | null;
  /** Reason of the last failure; null without one. */
  readonly last_error: string | null;
  /** Time of the last failure, RFC 3339. */
  readonly last_error_time: string | null;
  /** States of the active checks, one for each different set of check settings. */
  readonly active_checks: readonly CheckState[];
}

/** An upstream as `?detail=true` shows it. */
type DetailedUpstream = MergedDetail & { address: string; num_requests: number; fails: number };

/** The state of an upstream over all threads. */
function mergeDetails(details: readonly UpstreamDetail[], checks: readonly CheckState[]): MergedDetail {
  const latest = details.toSorted((a, b) => b.latencyAt - a.latencyAt)[0];
  const failed = details.toSorted((a, b) => b.lastErrorAt - a.lastErrorAt)[0];
  return {
    healthy: checks.every((check) => check.healthy),
    latency_ms: latest?.latencyMs ?? null,
    last_response: isoTime(latest?.latencyAt ?? 0),
    last_error: failed?.lastError ?? null,
    last_error_time: isoTime(failed?.lastErrorAt ?? 0),
    active_checks: checks,
  };
}

/**
 * Sort key for `trouble`: unhealthy upstreams first, then recently failed ones, then unknown ones, then healthy ones.
 */
function trouble({ healthy, fails, last_response, active_checks }: DetailedUpstream): number {
  if (!healthy) {
    return 0;
  }
  if (fails > 0 || active_checks.some(({ against }) => against > 0)) {
    return 1;
  }
  const isChecked = active_checks.length > 0 && active_checks.every(({ checked }) => checked);
  return last_response === null && !isChecked ? 2 : 3;
}

/** Sort orders of the list. Default: the order of the pool, which equal entries keep too. */
const orders: Readonly<Record<string, (a: DetailedUpstream, b: DetailedUpstream) => number>> = {
  address: (a, b) => a.address.localeCompare(b.address, "en", { numeric: true }),
  trouble: (a, b) => trouble(a) - trouble(b),
  requests: (a, b) => b.num_requests - a.num_requests,
  fails: (a, b) => b.fails - a.fails,
  latency: (a, b) => (b.latency_ms ?? -1) - (a.latency_ms ?? -1),
};

/** Sorts by the query parameter `order`. @throws ServerError ADMIN_REQUEST for an unknown order */
function inOrder(upstreams: readonly DetailedUpstream[], order: string | null): readonly DetailedUpstream[] {
  if (order === null) {
    return upstreams;
  }
  const compare = Object.hasOwn(orders, order) ? orders[order] : undefined;
  if (compare === undefined) {
    const known = Object.keys(orders).join(", ");
    throw new ServerError("ADMIN_REQUEST", `order is none of ${known}: '${order.slice(0, 40)}'`);
  }
  return upstreams.toSorted(compare);
}

/** Registers a metric of each upstream's health, as in Caddy. */
function showHealth(context: ModuleContext): void {
  new Gauge({
    name: "server_reverse_proxy_upstreams_healthy",
    help: "1 when all active health checks of an upstream pass, or when there are none.",
    labelNames: ["upstream"],
    registers: [context.metrics],
    collect() {
      this.reset();
      const checks = checksByAddress(context);
      for (const { name } of context.shared.list(upstreamPrefix)) {
        const upstream = name.slice(upstreamPrefix.length);
        const isHealthy = (checks.get(upstream) ?? []).every(({ healthy }) => healthy);
        this.set({ upstream }, isHealthy ? 1 : 0);
      }
    },
  });
}

/**
 * `GET /reverse_proxy/upstreams`: the global upstream pool. `?detail=true` adds fields that Caddy lacks, and
 * accepts `contains`, `order`, `limit` and `offset`.
 */
export const reverseProxyUpstreams = defineModule({
  id: "admin.api.reverse_proxy",
  config: z.strictObject({}),
  provision(_config, context): AdminRoute {
    showHealth(context);
    return {
      path: "/reverse_proxy/upstreams",
      async handle(request) {
        requireMethod(request, "GET");
        const upstreams = context.shared.list(upstreamPrefix);
        const fails = new Map(
          context.shared
            .list(upstreamFailsPrefix)
            .map(({ name, level }) => [name.slice(upstreamFailsPrefix.length), level]),
        );
        // Members in the order of Caddy's JSON.
        const entries = upstreams.map(({ name, level }) => {
          const address = name.slice(upstreamPrefix.length);
          return { address, num_requests: level, fails: fails.get(address) ?? 0 };
        });
        if (request.query.get("detail") !== "true") {
          return { ...jsonReply(200, null), body: `${JSON.stringify(entries)}\n` };
        }
        const asked = listPageOf(request.query);
        const told = (await context.messages.askServing(upstreamDetailTopic, null)) as UpstreamDetail[][];
        const details = Map.groupBy(told.flat(), ({ address }) => address);
        const checks = checksByAddress(context);
        const detailed = entries.map((entry) => ({
          ...entry,
          ...mergeDetails(details.get(entry.address) ?? [], checks.get(entry.address) ?? []),
        }));
        const { page, headers } = pageOf(
          inOrder(detailed, request.query.get("order")),
          asked,
          ({ address }) => address,
        );
        const reply = jsonReply(200, null);
        return { ...reply, headers: { ...reply.headers, ...headers }, body: `${JSON.stringify(page)}\n` };
      },
    };
  },
});
