import { AsyncLocalStorage } from "node:async_hooks";
import { newContext, type TraceContext } from "./trace-context.ts";

/** Numbers of span kinds in OTLP. */
export const spanKinds = { internal: 1, server: 2, client: 3 } as const;
/** `server`: an incoming request. `client`: an outgoing request. `internal`: work inside this process. */
export type OwnSpanKind = keyof typeof spanKinds;

/** Facts of a span; keys as in the semantic conventions of OpenTelemetry. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** A span that has ended. */
export interface FinishedSpan {
  /** Trace id, span id and flags. */
  readonly context: TraceContext;
  /** ID of the parent span; "" for the first span of a trace. */
  readonly parentSpanId: string;
  /** Name of the work. It contains no IDs, because spans are grouped by name in searches. */
  readonly name: string;
  /** The side of the call that the process was on. */
  readonly kind: OwnSpanKind;
  /** Start time in milliseconds since the Unix epoch, with a fraction. */
  readonly startUnixMs: number;
  /** Duration in milliseconds, with a fraction. */
  readonly durationMs: number;
  readonly attributes: SpanAttributes;
  /** True when the work failed. For a response of this process, this means a status of 500 or above. */
  readonly isError: boolean;
}

/** Receives ended spans; must neither wait nor throw. */
export interface SpanSink {
  add(span: FinishedSpan): void;
}

const active = new AsyncLocalStorage<OwnSpan>();

/**
 * A span around one part of the work of this process. While {@link run} runs, log lines contain the span's IDs, and
 * {@link startChild} starts child spans. A span without a sink only carries the caller's IDs.
 */
export class OwnSpan {
  readonly context: TraceContext;
  readonly parentSpanId: string;
  readonly #sink: SpanSink | undefined;
  readonly #kind: OwnSpanKind;
  readonly #startUnixMs = performance.timeOrigin + performance.now();
  #name: string;
  #attributes: Record<string, string | number>;
  #isOver = false;

  constructor(
    sink: SpanSink | undefined,
    kind: OwnSpanKind,
    context: TraceContext,
    {
      parentSpanId = "",
      name = "",
      attributes = {},
    }: {
      readonly parentSpanId?: string;
      readonly name?: string;
      readonly attributes?: SpanAttributes;
    } = {},
  ) {
    this.#sink = sink;
    this.#kind = kind;
    this.context = context;
    this.parentSpanId = parentSpanId;
    this.#name = name;
    this.#attributes = { ...attributes };
  }

  /** True when the span has a parent span. The parent of a request's span belongs to the client. */
  get hasParent(): boolean {
    return this.parentSpanId !== "";
  }

  /** True when the process sends spans; the sampler then decides about each span. */
  get canRecord(): boolean {
    return this.#sink !== undefined;
  }

  /** True when the span will be sent at its end. */
  get isRecorded(): boolean {
    return this.#sink !== undefined && this.context.isSampled;
  }

  /** Names the work; a span without a name is not sent. */
  describe(name: string, attributes: SpanAttributes = {}): void {
    this.#name = name;
    this.#attributes = { ...this.#attributes, ...attributes };
  }

  /** Starts a child span. @returns undefined when the span would not be sent */
  child(name: string, kind: OwnSpanKind, attributes: SpanAttributes): OwnSpan | undefined {
    return this.isRecorded
      ? new OwnSpan(this.#sink, kind, newContext(this.context), {
          parentSpanId: this.context.spanId,
          name,
          attributes,
        })
      : undefined;
  }

  run<T>(work: () => T): T {
    return active.run(this, work);
  }

  /** Ends the span, and passes it to the sink. Further calls do nothing. */
  end(isError = false, attributes: SpanAttributes = {}): void {
    if (this.#isOver) {
      return;
    }
    this.#isOver = true;
    if (this.#name !== "" && this.isRecorded) {
      this.#sink?.add({
        context: this.context,
        parentSpanId: this.parentSpanId,
        name: this.#name,
        kind: this.#kind,
        startUnixMs: this.#startUnixMs,
        durationMs: performance.timeOrigin + performance.now() - this.#startUnixMs,
        attributes: { ...this.#attributes, ...attributes },
        isError,
      });
    }
  }
}

/** The span of the running code; undefined outside of traced requests. */
export function activeSpan(): OwnSpan | undefined {
  return active.getStore();
}

/** Starts a child of the active span. @returns undefined if there is no active span */
export function startChild(
  name: string,
  kind: OwnSpanKind = "internal",
  attributes: SpanAttributes = {},
): OwnSpan | undefined {
  return active.getStore()?.child(name, kind, attributes);
}
