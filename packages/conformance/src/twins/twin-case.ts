/** Protocol between client and site: HTTP/1 with or without TLS, HTTP/2 with TLS, or without TLS by prior knowledge. */
export type Via = "http" | "https" | "h2" | "h2c";

export type Field = readonly [name: string, value: string];

/** A body as sent over HTTP/1; over HTTP/2 the framing is ignored. */
export interface TwinBody {
  readonly framing: "length" | "chunked";
  readonly text: string;
  /** A wrong `Content-Length`, sent instead of the correct one. */
  readonly claims?: number;
  /** Fields after a chunked body. */
  readonly trailers?: readonly Field[];
}

export interface TwinRequest {
  readonly method: string;
  readonly target: string;
  /** The fields include `Host`, which may be absent or repeated. */
  readonly fields: readonly Field[];
  readonly body?: TwinBody;
  /** Bytes (one for each code unit) that replace the whole request, for requests that no normal client sends. */
  readonly raw?: string;
}

/** Actions of a client on one connection. */
export interface TwinExchange {
  readonly via: Via;
  /** The name in the TLS handshake. */
  readonly serverName: string;
  /** Several requests are pipelined over HTTP/1 and concurrent over HTTP/2, unless `asks` is set. */
  readonly requests: readonly TwinRequest[];
  /** `in turn`: each request waits for the answer to the previous one, on the same connection. */
  readonly asks?: "in turn";
  /** Behaviour of the upstreams: a name from `behaviours.ts`, with its argument after `=`. */
  readonly upstream?: string;
  /** `slow`: the client pauses reading after the first bytes. */
  readonly reads?: "slow";
  /** `slow`: the request is written in five parts with pauses between them. */
  readonly writes?: "slow";
  /**
   * `half-closed`: the client ends its side after the request. `early`: the client disconnects after the first byte.
   */
  readonly leaves?: "half-closed" | "early";
}

/** The exchanges of a step start together. */
export interface TwinStep {
  readonly exchanges: readonly TwinExchange[];
  /** True: the site is loaded again while the exchanges run. */
  readonly reloads?: boolean;
}

/** A site and the exchanges with it. The text has the marks of `site-marks.ts`. */
export interface TwinCase {
  readonly site: string;
  readonly steps: readonly TwinStep[];
}

/** Observations of one exchange or of a whole site; the keys are their names. */
export type Facts = Readonly<Record<string, string>>;

/** All observations of one server. */
export interface Observation {
  /** Facts of each exchange, in the order of the case. */
  readonly exchanges: readonly Facts[];
  /**
   * Facts of the site as a whole: metrics, requests and connections that are still open, and log entries without an
   * exchange.
   */
  readonly site: Facts;
}

/** Answer to `/adapt` or `/load`. */
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
   * Loads the site and runs the steps.
   * @param width number of concurrent steps, if the site does not remember requests (default 1)
   */
  run(twinCase: TwinCase, width?: number): Promise<Observation>;
  close(): Promise<void>;
}

const readableLength = 400;

/** Beginning and end of a text: an error in a long text is usually in one of them. */
function ends(text: string): string {
  const half = readableLength / 2;
  return text.length <= readableLength ? text : `${text.slice(0, half)}…${text.slice(-half)}`;
}

/** Describes an exchange in one line. @param reloads true when the site is loaded again meanwhile (default false) */
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
