import { getHeaders, type HeaderList, headerText } from "http-engine/header-list";
import { statusText } from "http-engine/status-text";
import { formatGoDuration } from "server-core/go/go-duration";
import type { Candidate } from "./candidate.ts";
import type { DialAddress } from "./transport/dial-address.ts";

/**
 * The values of `{http.reverse_proxy.*}`. They are filled while a request proceeds, and read only when a text
 * names them.
 */
export class ProxyProgress {
  /** When the handler got the request, as of `performance.now()`. */
  readonly startedAt = performance.now();
  /** Tries after the first one. */
  retries = 0;
  /** The upstream of the latest try; undefined before the first. */
  candidate: Candidate | undefined;
  /** Its address with placeholders filled in. */
  dial: DialAddress | undefined;
  /** When the latest try began, as of `performance.now()`. */
  triedAt = 0;
  /** Milliseconds from the begin of the latest try to the head of its response; undefined before that. */
  latencyMs: number | undefined;
  /** When the latest try was over; 0 before. */
  endedAt = 0;
  /** Status that the upstream sent, before `replace_status` or routes change it. */
  status: number | undefined;
  /** Response headers without hop-by-hop fields. */
  headers: HeaderList | undefined;
  /** True only while `retry_match` looks at a try that failed without a response. */
  isTransportError = false;

  /** A try begins. The clock is read again only for one after the first. */
  begin(candidate: Candidate, dial: DialAddress): void {
    this.candidate = candidate;
    this.dial = dial;
    this.triedAt = this.retries === 0 ? this.startedAt : performance.now();
  }

  /** How long the latest try took in all. */
  get durationMs(): number | undefined {
    return this.endedAt < this.triedAt || this.triedAt === 0 ? undefined : this.endedAt - this.triedAt;
  }

  /** How long all tries took, and the waits between them. */
  get totalMs(): number | undefined {
    return this.endedAt === 0 ? undefined : this.endedAt - this.startedAt;
  }

  /** @param name without `http.reverse_proxy.` @returns undefined for a name that is not known (yet) */
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

/** A number as a placeholder shows it. */
function text(value: number | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

/** Formats a duration as the model does: `1.5ms`, `2.25s`. */
function duration(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : formatGoDuration(ms);
}
