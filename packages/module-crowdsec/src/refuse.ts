import { type Exchange, setHeader } from "server-module-api";

/** A remedy for one request. */
export interface Remedy {
  /** `ban`, `captcha`, `throttle`, or a custom type. */
  readonly type: string;
  /** Seconds after which a throttled client may come back. */
  readonly secondsLeft: number;
  /** Status code of the response; 0: 403. `throttle` always gets 429. */
  readonly status?: number;
}

/** Answers a client that is not allowed. Source: hslatman/caddy-crowdsec-bouncer, `WriteResponse` */
export function refuse(exchange: Exchange, { type, secondsLeft, status = 0 }: Remedy): void {
  if (type === "throttle") {
    setHeader(exchange.responseHeaders, "Retry-After", String(Math.max(1, Math.round(secondsLeft))));
    exchange.respond(429);
    return;
  }
  setHeader(exchange.responseHeaders, "Content-Type", "text/plain; charset=utf-8");
  exchange.respond(status || 403);
}
