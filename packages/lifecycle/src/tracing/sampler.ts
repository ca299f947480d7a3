import { StartError } from "../errors.ts";
import type { TraceContext } from "../trace-context.ts";

/**
 * Maximum number of new traces per second in a process; for traces that clients start, the clients have their own
 * limits.
 */
const maxTracesPerSecond = 100;

/** Decides by the trace ID, so that processes with the same share decide in the same way. @param share from 0 to 1 */
function isInShare(traceId: string, share: number): boolean {
  return Number.parseInt(traceId.slice(-13), 16) < share * 2 ** 52;
}

/**
 * Samples by `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG`: `always_on`, `always_off` or `traceidratio`; with
 * `parentbased_…`, a client's decision takes precedence. The default is `parentbased_always_on`. With every sampler,
 * new traces above 100 in a second are dropped. Source: OpenTelemetry specification, "Environment Variable
 * Specification"
 */
export class OwnSampler {
  readonly #share: number;
  readonly #followsParent: boolean;
  readonly #now: () => number;
  #second = 0;
  #begun = 0;

  /** @throws StartError for an invalid sampler or argument */
  constructor(environment: Readonly<Record<string, string | undefined>>, now: () => number = Date.now) {
    const name = environment.OTEL_TRACES_SAMPLER || "parentbased_always_on";
    const root = name.replace(/^parentbased_/, "");
    const argument = environment.OTEL_TRACES_SAMPLER_ARG || "1";
    const shares: Readonly<Record<string, number>> = {
      always_on: 1,
      always_off: 0,
      traceidratio: Number(argument),
    };
    const share = Object.hasOwn(shares, root) ? shares[root] : undefined;
    if (share === undefined) {
      throw new StartError(`OTEL_TRACES_SAMPLER: unknown sampler "${name}"`);
    }
    if (!(share >= 0 && share <= 1)) {
      throw new StartError(`OTEL_TRACES_SAMPLER_ARG: "${argument}" is not a number from 0 to 1`);
    }
    this.#share = share;
    this.#followsParent = root !== name;
    this.#now = now;
  }

  /** @param parent span of the client; undefined: the trace starts in this process */
  isSampled(traceId: string, parent: TraceContext | undefined): boolean {
    if (parent !== undefined && this.#followsParent) {
      return parent.isSampled;
    }
    return isInShare(traceId, this.#share) && (parent !== undefined || this.#mayBegin());
  }

  #mayBegin(): boolean {
    const second = Math.floor(this.#now() / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#begun = 0;
    }
    this.#begun++;
    return this.#begun <= maxTracesPerSecond;
  }
}
