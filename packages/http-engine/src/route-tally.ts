import { Counter, Gauge, Histogram, type Registry } from "@prometheus-io/client";
import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";

/** Bounds of times in seconds, and of sizes in bytes, as in Caddy 2.11. */
export const secondsBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
export const bytesBounds = [256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304] as const;

/** Methods that have their own label; all other methods are `OTHER`. */
const methods = ["OTHER", "GET", "HEAD", "PUT", "POST", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"];

/**
 * HTTP methods are case-sensitive. A method in lower case still gets the label of the known method, as in Caddy.
 */
const places = new Map(
  methods.slice(1).flatMap((name, at) => [[name, at + 1] as const, [name.toLowerCase(), at + 1] as const]),
);

type Labels = Record<string, string>;

/** Values of one series of a histogram. */
export class Distribution {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;

  /** @param bounds upper bounds, ascending; larger values are counted in an additional bucket */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  add(value: number): void {
    let index = 0;
    while (index < this.#bounds.length && value > (this.#bounds[index] as number)) {
      index++;
    }
    this.#counts[index] = (this.#counts[index] as number) + 1;
    this.#sum += value;
  }

  /** The series in Prometheus's form: cumulative buckets, sum and count. The list is empty when nothing was counted. */
  values(name: string, labels: Labels): { metricName: string; labels: Labels; value: number }[] {
    const values = [];
    let total = 0;
    for (const [index, count] of this.#counts.entries()) {
      total += count;
      const le = index < this.#bounds.length ? String(this.#bounds[index]) : "+Inf";
      values.push({ metricName: `${name}_bucket`, labels: { le, ...labels }, value: total });
    }
    if (total === 0) {
      return [];
    }
    values.push({ metricName: `${name}_sum`, labels, value: this.#sum });
    values.push({ metricName: `${name}_count`, labels, value: total });
    return values;
  }
}

/** Times and sizes of requests with the same route, method and status. */
class AnsweredRequests {
  readonly durations = new Distribution(secondsBounds);
  readonly firstBytes = new Distribution(secondsBounds);
  readonly requestSizes = new Distribution(bytesBounds);
  readonly responseSizes = new Distribution(bytesBounds);
}

/** Requests of routes with the same first handler; for one host if hosts are counted separately. */
export class RouteCounts {
  inFlight = 0;
  requests = 0;
  errors = 0;
  readonly labels: Labels;
  /** The key combines method and status in one number. */
  readonly #answered = new Map<number, AnsweredRequests>();

  constructor(labels: Labels) {
    this.labels = labels;
  }

  /** The counts for this method and status. */
  answered(method: string, status: number): AnsweredRequests {
    const key = status * methods.length + (places.get(method) ?? 0);
    let answered = this.#answered.get(key);
    if (answered === undefined) {
      answered = new AnsweredRequests();
      this.#answered.set(key, answered);
    }
    return answered;
  }

  *series(): Iterable<[Labels, AnsweredRequests]> {
    for (const [key, answered] of this.#answered) {
      const method = methods[key % methods.length] ?? "OTHER";
      const code = String(Math.floor(key / methods.length));
      yield [{ ...this.labels, code, method }, answered];
    }
  }
}

/** Label of hosts that are not counted separately. */
export const otherHosts = "_other";
/** Maximum number of hosts that are counted separately at one server, because clients choose their names. */
const maxHosts = 1_000;

/**
 * Counts for the routes of one server of the config in this thread, across reloads. Source: Caddy 2.11,
 * modules/caddyhttp/metrics.go
 */
export class RouteTally implements SharedResource {
  readonly #server: string;
  readonly #perHost: boolean;
  readonly #tallies: Set<RouteTally>;
  readonly #hosts = new Map<string, Map<string, RouteCounts>>();

  /** @param perHost true: hosts are counted separately */
  constructor(server: string, perHost: boolean, metrics: Registry) {
    this.#server = server;
    this.#perHost = perHost;
    this.#tallies = talliesOf(metrics);
    this.#tallies.add(this);
  }

  /** @param handler the route's first handler @param host "" when hosts are not counted separately */
  counts(handler: string, host: string): RouteCounts {
    let handlers = this.#hosts.get(host);
    if (handlers === undefined) {
      if (this.#hosts.size >= maxHosts && host !== otherHosts) {
        return this.counts(handler, otherHosts);
      }
      handlers = new Map();
      this.#hosts.set(host, handlers);
    }
    let counts = handlers.get(handler);
    if (counts === undefined) {
      counts = new RouteCounts({
        server: this.#server,
        handler,
        ...(this.#perHost ? { host } : {}),
      });
      handlers.set(handler, counts);
    }
    return counts;
  }

  *all(): Iterable<RouteCounts> {
    for (const handlers of this.#hosts.values()) {
      yield* handlers.values();
    }
  }

  close(): void {
    this.#tallies.delete(this);
  }
}

/** A histogram that reads its values from the tallies. */
class ReadHistogram extends Histogram {
  readonly #read: () => { metricName: string; labels: Labels; value: number }[];
  readonly #description: { readonly name: string; readonly help: string };

  constructor(
    description: { readonly name: string; readonly help: string },
    registry: Registry,
    read: () => { metricName: string; labels: Labels; value: number }[],
  ) {
    super({ ...description, registers: [registry] });
    this.#description = description;
    this.#read = read;
  }

  override async get(): ReturnType<Histogram["get"]> {
    const { name, help } = this.#description;
    const found = { name, help, type: "histogram", values: this.#read(), aggregator: "sum" };
    return found as unknown as Awaited<ReturnType<Histogram["get"]>>;
  }

  /** Called by the metrics library to write the histogram as text. */
  getForPromString(): ReturnType<Histogram["get"]> {
    return this.get();
  }
}

const tallies = new WeakMap<Registry, Set<RouteTally>>();

function talliesOf(metrics: Registry): Set<RouteTally> {
  const known = tallies.get(metrics);
  if (known !== undefined) {
    return known;
  }
  const all = new Set<RouteTally>();
  tallies.set(metrics, all);
  registerTallies(metrics, all);
  return all;
}

/** Registers metrics that read the tallies only when they are scraped, so that requests only increase counts. */
function registerTallies(metrics: Registry, all: ReadonlySet<RouteTally>): void {
  const prefix = "server_http_route_";
  const labelNames = ["server", "handler", "host"];
  const registers = [metrics];
  const counter = (name: string, help: string, read: (counts: RouteCounts) => number) =>
    new Counter({
      name: `${prefix}${name}`,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const tally of all) {
          for (const counts of tally.all()) {
            if (read(counts) > 0) {
              this.inc(counts.labels, read(counts));
            }
          }
        }
      },
    });
  const histogram = (name: string, help: string, part: keyof AnsweredRequests) =>
    new ReadHistogram({ name: `${prefix}${name}`, help }, metrics, () =>
      [...all].flatMap((tally) =>
        [...tally.all()].flatMap((counts) =>
          [...counts.series()].flatMap(([labels, answered]) =>
            answered[part].values(`${prefix}${name}`, labels),
          ),
        ),
      ),
    );
  counter("requests_total", "Requests that routes of a server took, by first handler.", (c) => c.requests);
  counter("request_errors_total", "Requests whose handlers failed, by first handler.", (c) => c.errors);
  new Gauge({
    name: `${prefix}requests_in_flight`,
    help: "Requests that routes of a server have under way, by first handler.",
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const tally of all) {
        for (const counts of tally.all()) {
          this.inc(counts.labels, counts.inFlight);
        }
      }
    },
  });
  histogram("request_duration_seconds", "Time that the handlers of a route took for a request.", "durations");
  histogram("response_duration_seconds", "Time from a request to the head of its response.", "firstBytes");
  histogram(
    "request_size_bytes",
    "About the size of a request: its head, and its body as announced.",
    "requestSizes",
  );
  histogram("response_size_bytes", "Size of the body of a response.", "responseSizes");
}

/**
 * The tally of each server name, with or without hosts. A reload keeps the tally; the tally of a removed server is
 * dropped.
 */
export const routeTallies: ResourceKind<RouteTally> = { name: "http.route_tally" };
