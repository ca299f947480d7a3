import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";

/** The classes of status codes, and `none` if a connection ended before there was a response. */
const classes = ["none", "1xx", "2xx", "3xx", "4xx", "5xx"] as const;

/** Counts the responses of one server of the config in this thread, across reloads. */
export class ResponseTally implements SharedResource {
  readonly #server: string;
  readonly #tallies: Set<ResponseTally>;
  /** Number of responses by class. An array keeps counting cheap: one addition per request. */
  readonly #counts = new Float64Array(classes.length);
  inFlight = 0;

  constructor(server: string, metrics: Registry) {
    this.#server = server;
    this.#tallies = talliesOf(metrics);
    this.#tallies.add(this);
  }

  /** Counts a request at its end. @param status 0 when there was no response */
  count(status: number): void {
    const index = status >= 100 && status < 600 ? Math.floor(status / 100) : 0;
    this.#counts[index] = (this.#counts[index] as number) + 1;
  }

  addTo(counter: Counter<"server" | "class">): void {
    for (const [index, name] of classes.entries()) {
      const count = this.#counts[index] as number;
      if (count > 0) {
        counter.inc({ server: this.#server, class: name }, count);
      }
    }
  }

  addInFlightTo(gauge: Gauge<"server">): void {
    gauge.inc({ server: this.#server }, this.inFlight);
  }

  close(): void {
    this.#tallies.delete(this);
  }
}

const tallies = new WeakMap<Registry, Set<ResponseTally>>();

function talliesOf(metrics: Registry): Set<ResponseTally> {
  const known = tallies.get(metrics);
  if (known !== undefined) {
    return known;
  }
  const all = new Set<ResponseTally>();
  tallies.set(metrics, all);
  new Counter({
    name: "server_http_responses_total",
    help: "Answers of each server of the config, by class of status; none: the connection ended before.",
    labelNames: ["server", "class"],
    registers: [metrics],
    collect() {
      this.reset();
      for (const tally of all) {
        tally.addTo(this);
      }
    },
  });
  new Gauge({
    name: "server_http_requests_in_flight",
    help: "Requests under way at each server of the config.",
    labelNames: ["server"],
    registers: [metrics],
    collect() {
      this.reset();
      for (const tally of all) {
        tally.addInFlightTo(this);
      }
    },
  });
  return all;
}

/** The tally of each server name. A reload keeps the tally; the tally of a removed server is dropped. */
export const responseTallies: ResourceKind<ResponseTally> = { name: "http.response_tally" };
