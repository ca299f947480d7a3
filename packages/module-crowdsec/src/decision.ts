import { parseGoDuration } from "server-module-api";

/** A decision of the local API, as far as it is needed. Source: CrowdSec, localapi_swagger.yaml, `Decision` */
export interface WireDecision {
  /** Kind of the value: `Ip`, `Range`, `Country`, `AS`, … */
  readonly scope: string;
  readonly value: string;
  readonly type: string;
  readonly origin: string;
  /** Time left, as a Go duration; undefined when absent. */
  readonly duration: string | undefined;
}

/** Maximum number of characters of each text of a decision. A longer text is ignored. */
const maxText = 256;

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.length <= maxText ? value : undefined;
}

/**
 * Checks an item of the local API. Checks are written out, because a million items come at once, and a schema takes
 * twice the time.
 * @returns undefined for an item without scope, value or type
 */
export function readDecision(item: unknown): WireDecision | undefined {
  const { scope, value, type, origin, duration } = (item ?? {}) as Readonly<Record<string, unknown>>;
  const texts = { scope: textOf(scope), value: textOf(value), type: textOf(type) };
  return texts.scope === undefined || texts.value === undefined || !texts.type
    ? undefined
    : {
        scope: texts.scope,
        value: texts.value,
        type: texts.type,
        origin: textOf(origin) ?? "",
        duration: textOf(duration),
      };
}

/** The remedy for a client. */
export interface Decision {
  /** Kind of the remedy: `ban`, `captcha`, `throttle`, or a custom type. */
  readonly type: string;
  /** The party that decided: `crowdsec`, `cscli`, `CAPI`, `lists`, … */
  readonly origin: string;
  /** Seconds until the decision ends. */
  readonly secondsLeft: number;
}

/** Duration of a decision without one, in seconds: four hours, the duration of CrowdSec's own profiles. */
const defaultSeconds = 4 * 3_600;

/** Seconds of a Go duration such as `3h59m12.5s`. A negative duration, of a decision that has ended, becomes 0. */
export function secondsOf(duration: string | undefined): number {
  if (duration === undefined || duration === "") {
    return defaultSeconds;
  }
  if (duration.startsWith("-")) {
    return 0;
  }
  const ms = parseGoDuration(duration);
  return ms === undefined ? defaultSeconds : ms / 1000;
}

/**
 * How strict a decision is. When several decisions apply to a client, the strictest counts.
 * | Type | Strictness | Answer |
 * |---|---|---|
 * | `ban`, and custom types | 3 | 403 |
 * | `captcha` | 2 | 403, as there is no page with a captcha |
 * | `throttle` | 1 | 429 with `Retry-After` |
 */
export function strictness(type: string): number {
  return type === "throttle" ? 1 : type === "captcha" ? 2 : 3;
}
