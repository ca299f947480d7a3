import { sleep } from "../client/http1-exchange.ts";
import type { Facts } from "../twin-case.ts";
import type { SeenRequests } from "../upstream/seen-requests.ts";
import { askAdmin } from "./ask-admin.ts";

const pollMs = 5;

async function get(port: number, target: string): Promise<string> {
  const { status, body } = await askAdmin(port, "GET", target);
  return status === 200 ? body : `status ${status}`;
}

/** Requests that a server still counts as running at its upstreams. */
async function inFlight(port: number): Promise<string> {
  try {
    const list = JSON.parse(await get(port, "/reverse_proxy/upstreams")) as { num_requests: number }[];
    return String(list.reduce((sum, { num_requests }) => sum + num_requests, 0));
  } catch {
    return "unknown";
  }
}

/** Requests and connections that a server still has open after all clients have ended. */
export async function leftOpenFacts(port: number, seen: SeenRequests, limitMs: number): Promise<Facts> {
  const end = Date.now() + limitMs;
  let requests = await inFlight(port);
  while ((requests !== "0" || seen.isBusy) && Date.now() < end) {
    await sleep(pollMs);
    requests = await inFlight(port);
  }
  return { "requests in flight": requests, "upstreams busy": seen.isBusy ? "yes" : "no" };
}

const counted =
  /^\w*http_(requests_total|request_errors_total|requests_in_flight|request_size_bytes_count|response_size_bytes_count|response_duration_seconds_count)\{(.*)\} (\S+)$/;

/** Counters of requests in `/metrics`, if the site has them. */
export async function metricFacts(port: number): Promise<Facts> {
  const facts: Record<string, string> = {};
  for (const line of (await get(port, "/metrics")).split("\n")) {
    const match = counted.exec(line);
    // An absent counter equals a counter of 0.
    if (match !== null && match[3] !== "0" && !line.includes('handler="admin"')) {
      // A host with and without a port is the same host.
      const labels = match[2]
        ?.replace(/(?<=host="[^":]*):\d+/, "")
        .split(",")
        .sort()
        .join(",");
      const name = `metric ${match[1]} ${labels}`;
      facts[name] = String(Number(facts[name] ?? 0) + Number(match[3]));
    }
  }
  return facts;
}

/**
 * Growth of the counters, because one server resets its counters with each load and the other does not. A gauge is
 * taken unchanged, because a request of the previous site may have been running at the start. Counts of all hosts are
 * added, and the names of hosts are a separate fact, so that a wrong name does not hide a wrong count.
 */
export function grownBy(before: Facts, after: Facts): Facts {
  const sums = new Map<string, number>();
  const hosts = new Set<string>();
  for (const [name, value] of Object.entries(after)) {
    const start = name.startsWith("metric requests_in_flight") ? "0" : (before[name] ?? "0");
    const growth = Number(value) - Number(start);
    if (growth !== 0) {
      const [label, host] = /host="([^"]*)",?/.exec(name) ?? [];
      if (host !== undefined) {
        hosts.add(host);
      }
      const sum = label === undefined ? name : name.replace(label, "");
      sums.set(sum, (sums.get(sum) ?? 0) + growth);
    }
  }
  const facts = Object.fromEntries([...sums].map(([name, sum]) => [name, String(sum)]));
  return hosts.size === 0 ? facts : { ...facts, "metric hosts": [...hosts].sort().join(" ") };
}
