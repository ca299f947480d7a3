import { AsyncLocalStorage } from "node:async_hooks";
import { newContext, type TraceContext } from "./trace-context.ts";

/** As OTLP numbers them. */
export const spanKinds = { internal: 1, server: 2, client: 3 } as const;
export type OwnSpanKind = keyof typeof spanKinds;

export type SpanAttributes = Readonly<Record<string, string | number>>;

/** A span that is over. */
export interface FinishedSpan {
  readonly context: TraceContext;
  /** "" for the first of a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: OwnSpanKind;
  readonly startUnixMs: number;
  readonly durationMs: number;
  readonly attributes: SpanAttributes;
  readonly isError: boolean;
}

/** Takes spans that are over; must neither wait nor throw. */
export interface SpanSink {
  add(span: FinishedSpan): void;
}

const active = new AsyncLocalStorage<OwnSpan>();

/**
 * A piece of this process's own work. While {@link run} runs, log lines carry its ids, and {@link startChild} makes
 * spans below it. One without a sink only carries the ids of whoever asked.
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

  /** Whether somebody else began the trace. */
  get hasParent(): boolean {
    return this.parentSpanId !== "";
  }

  /** Whether the process sends spans; which of them is up to the sampler. */
  get canRecord(): boolean {
    return this.#sink !== undefined;
  }

  /** Whether the span is sent anywhere when it is over. */
  get isRecorded(): boolean {
    return this.#sink !== undefined && this.context.isSampled;
  }

  /** Says what the work is; a span without a name is not sent. */
  describe(name: string, attributes: SpanAttributes = {}): void {
    this.#name = name;
    this.#attributes = { ...this.#attributes, ...attributes };
  }

  /** @returns undefined where it would not be sent */
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

  /** Calling it again does nothing. */
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

/** The span of what runs now; undefined outside of traced requests. */
export function activeSpan(): OwnSpan | undefined {
  return active.getStore();
}

/** A span below the active one. @returns undefined where nothing is traced */
export function startChild(
  name: string,
  kind: OwnSpanKind = "internal",
  attributes: SpanAttributes = {},
): OwnSpan | undefined {
  return active.getStore()?.child(name, kind, attributes);
}
