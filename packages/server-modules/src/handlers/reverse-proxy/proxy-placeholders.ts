import { getHeaders, type HeaderList, headerText } from "http-engine/header-list";
import { statusText } from "http-protocols/http1/response-start";
import { formatGoDuration } from "server-core/go/go-duration";
import type { Candidate } from "./candidate.ts";
import type { DialAddress } from "./transport/dial-address.ts";

/**
 * Holds the values of `{http.reverse_proxy.*}`. They are stored while a request proceeds, and formatted only when a
 * text uses them.
 */
export class ProxyProgress {
  /** Start of the handler, on the clock of `performance.now()`. */
  readonly startedAt = performance.now();
  /** Number of attempts after the first one. */
  retries = 0;
  /** The upstream of the latest attempt; undefined before the first attempt. */
  candidate: Candidate | undefined;
  /** The upstream's address with placeholders replaced. */
  dial: DialAddress | undefined;
  /** Start of the latest attempt, on the clock of `performance.now()`. */
  triedAt = 0;
  /** Milliseconds from the start of the latest attempt to its response head; undefined before the head. */
  latencyMs: number | undefined;
  /** End of the latest attempt, on the clock of `performance.now()`; 0 before. */
  endedAt = 0;
  /** Status that the upstream sent, before `replace_status` or routes change it. */
  status: number | undefined;
  /** Response headers without hop-by-hop fields. */
  headers: HeaderList | undefined;
  /** True only while `retry_match` evaluates an attempt that failed without a response. */
  isTransportError = false;

  /** Begins an attempt. The first attempt reuses the start time of the request instead of reading the clock. */
  begin(candidate: Candidate, dial: DialAddress): void {
    this.candidate = candidate;
    this.dial = dial;
    this.triedAt = this.retries === 0 ? this.startedAt : performance.now();
  }

  /** Duration of the latest attempt, in milliseconds. */
  get durationMs(): number | undefined {
    return this.endedAt < this.triedAt || this.triedAt === 0 ? undefined : this.endedAt - this.triedAt;
  }

  /** Duration of all attempts, including the waits between them, in milliseconds. */
  get totalMs(): number | undefined {
    return this.endedAt === 0 ? undefined : this.endedAt - this.startedAt;
  }

  /**
   * @param name name without `http.reverse_proxy.` @returns undefined for a name that is unknown, or has no value yet
   */
  placeholder(name: string): string | undefined {
    if (name.startsWith("header.")) {
      const values = getHeaders(this.headers ?? [], name.slice("header.".length));
      return values.length === 0 ? undefined : headerText(values.join(","));
    }
    switch (name) {
      case "duration":
        return duration(this.totalMs);
      case "duration_ms":
        return text(this.totalMs);
      case "retries":
        return String(this.retries);
      case "status_code":
        return text(this.status);
      case "status_text":
        return this.status === undefined ? undefined : `${this.status} ${statusText(this.status)}`.trim();
      case "is_transport_error":
        return this.isTransportError ? "true" : undefined;
      case "upstream.address":
        return this.dial?.key;
      case "upstream.hostport":
        return this.dial?.path || this.dial?.key;
      case "upstream.host":
        return this.dial?.path || this.dial?.host;
      case "upstream.port":
        return this.dial === undefined || this.dial.port === 0 ? "" : String(this.dial.port);
      case "upstream.requests":
        return text(this.candidate?.requests);
      case "upstream.max_requests":
        return this.candidate === undefined || !Number.isFinite(this.candidate.maxRequests)
          ? "0"
          : String(this.candidate.maxRequests);
      case "upstream.fails":
        return text(this.candidate?.upstream.fails);
      case "upstream.latency":
        return duration(this.latencyMs);
      case "upstream.latency_ms":
        return text(this.latencyMs);
      case "upstream.duration":
        return duration(this.durationMs);
      case "upstream.duration_ms":
        return text(this.durationMs);
      default:
        return undefined;
    }
  }
}

/** Formats a number for a placeholder. */
function text(value: number | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

/** Formats a duration as Caddy does: `1.5ms`, `2.25s`. */
function duration(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : formatGoDuration(ms);
}
