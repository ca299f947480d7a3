/** How a client reaches a site: HTTP/1 in clear or over TLS, HTTP/2 over TLS or in clear with prior knowledge. */
export type Via = "http" | "https" | "h2" | "h2c";

export type Field = readonly [name: string, value: string];

/** A body as a client sends it over HTTP/1; HTTP/2 has frames and ignores the framing. */
export interface TwinBody {
  readonly framing: "length" | "chunked";
  readonly text: string;
  /** `Content-Length` in place of the right one. */
  readonly claims?: number;
  /** Fields after a chunked body. */
  readonly trailers?: readonly Field[];
}

export interface TwinRequest {
  readonly method: string;
  readonly target: string;
  /** `Host` too, which may be absent or repeated. */
  readonly fields: readonly Field[];
  readonly body?: TwinBody;
  /** Bytes (one for each code unit) in the place of the whole request: for what no client would send. */
  readonly raw?: string;
}

/** Actions of a client on one connection. */
export interface TwinExchange {
  readonly via: Via;
  /** The name in the TLS handshake. */
  readonly serverName: string;
  /** More than one is pipelined over HTTP/1 and at once over HTTP/2, or `asks` says how. */
  readonly requests: readonly TwinRequest[];
  /** `in turn`: each request waits for the answer to the one before it, on the same connection. */
  readonly asks?: "in turn";
  /** Behaviour of the upstreams: a name of `behaviours.ts`, with its argument after `=`. */
  readonly upstream?: string;
  /** `slow`: the client stops reading for a while when the first piece is there. */
  readonly reads?: "slow";
  /** `slow`: the request is written in five parts, with pauses. */
  readonly writes?: "slow";
  /** `half-closed`: the client ends its side after the request. `early`: it leaves when the first byte is there. */
  readonly leaves?: "half-closed" | "early";
}

/** Exchanges of a step begin at once. */
export interface TwinStep {
  readonly exchanges: readonly TwinExchange[];
  /** The site is loaded once more while the exchanges run. */
  readonly reloads?: boolean;
}

/** A site and what clients do with it. The text has the marks of `site-marks.ts`. */
export interface TwinCase {
  readonly site: string;
  readonly steps: readonly TwinStep[];
}

/** Observations of one exchange or of a whole site, by name. */
export type Facts = Readonly<Record<string, string>>;

/** All observations of one server. */
export interface Observation {
  /** Facts of each exchange, in the order of the case. */
  readonly exchanges: readonly Facts[];
  /** Facts of the site as a whole: metrics, what is left open, and log entries that belong to no exchange. */
  readonly site: Facts;
}

/** An answer of `/adapt`, or of `/load`. */
export interface Verdict {
  readonly status: number;
  readonly body: string;
}

/** A server under comparison. */
export interface Twin {
  adapt(text: string): Promise<Verdict>;
  /** Loads the site's adapted document. */
  load(text: string): Promise<Verdict>;
  /**
   * Loads the site and does the steps.
   * @param width number of concurrent steps where a site does not remember its requests (default 1)
   */
  run(twinCase: TwinCase, width?: number): Promise<Observation>;
  close(): Promise<void>;
}

const readableLength = 400;

/** The begin and the end of a text: what is odd of a long one stands at either. */
function ends(text: string): string {
  const half = readableLength / 2;
  return text.length <= readableLength ? text : `${text.slice(0, half)}…${text.slice(-half)}`;
}

/** One line for a reader. @param reloads whether the site is loaded once more meanwhile (default false) */
export function describeExchange(exchange: TwinExchange, reloads = false): string {
  const requests = exchange.requests.map(({ raw, method, target, fields, body }) =>
    raw === undefined
      ? `${method} ${target}${fields.map(([name, value]) => ` [${name}: ${value}]`).join("")}${body === undefined ? "" : ` body ${JSON.stringify(body).slice(0, 200)}`}`
      : `raw ${ends(JSON.stringify(raw))}`,
  );
  const { via, upstream, reads, writes, leaves, asks } = exchange;
  const manners = [
    upstream && `upstream ${upstream}`,
    reads && `reads ${reads}`,
    writes && `writes ${writes}`,
    leaves && `leaves ${leaves}`,
    asks && `asks ${asks}`,
  ].filter((each) => each !== undefined);
  return [via, ...manners, requests.join(" + ")].join(", ") + (reloads ? ", during a reload" : "");
}
