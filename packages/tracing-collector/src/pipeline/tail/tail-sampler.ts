import { RowScanner, type SpanRows } from "wire/rows";
import type { KeptWith } from "../state-probability.ts";
import { NameNumbers } from "./name-numbers.ts";
import type { TailPolicy } from "./tail-policies.ts";
import { TraceChance } from "./trace-chance.ts";
import { absent, TraceTable } from "./trace-table.ts";

/** Number of remembered decisions for late spans, as a multiple of the limit of undecided traces. */
const rememberedFactor = 4;
const statusError = 2;
/**
 * Verdict of a dropped trace. Other verdicts: 0 is undecided; from 2 on, policy number (verdict - 2) keeps the trace.
 */
const dropped = 1;
const firstKept = 2;
const minuteMs = 60_000;
/**
 * Tolerance for durations in nanoseconds: starts are doubles, rounded to 256 ns. A trace that is a microsecond too
 * short counts as long enough.
 */
const roundingNs = 1_000;

/** Gets reports about decided traces and spans. */
export interface TailObserver {
  /**
   * @param policy the policy that keeps the trace; undefined when it is dropped. @param early true: decided before the
   * end of its window, because of `maxTraces` or a stop
   */
  traceDecided(policy: string | undefined, early: boolean): void;
  /** @param policy as in `traceDecided` */
  spansDecided(policy: string | undefined, spans: number): void;
  /** Called for spans that arrived after the decision about their trace. */
  lateSpans(spans: number): void;
  /** Called for spans that are kept because the decision about their trace was forgotten. */
  forgottenSpans(spans: number): void;
}

export interface TailSamplerSettings {
  /** Policies; a trace is kept if at least one policy keeps it. */
  readonly policies: readonly TailPolicy[];
  /** Time from a trace's first span to the decision in milliseconds. Later spans follow the decision. */
  readonly decisionWaitMs: number;
  /** Maximum number of traces that may be undecided at once. Above it, the oldest are decided early. */
  readonly maxTraces: number;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** True: kept spans get the probability of their policy in their `tracestate`. Default: false. */
  readonly statesProbability?: boolean;
}

/** The verdicts about the rows of a segment. They do not change, so every read gives the same block. */
export interface RowVerdicts {
  /** True when the span of this row is kept. */
  isKept(row: number): boolean;
  /** Probability with which the span of this row was kept. */
  keptWith(row: number): KeptWith;
}

/**
 * Decides whole traces, `decisionWaitMs` after their first span arrived. The first policy that matches keeps a trace; a
 * trace that matches none is dropped. Memory is limited: above `maxTraces` the oldest traces are decided early, and a
 * multiple of that number of decisions is remembered.
 */
export class TailSampler {
  readonly decisionWaitMs: number;
  /** See `TailSamplerSettings`. */
  readonly statesProbability: boolean;
  readonly #policies: readonly TailPolicy[];
  /** The probability of each policy. */
  readonly #keptWith: readonly KeptWith[];
  readonly #observer: TailObserver;
  readonly #now: () => number;
  readonly #maxTraces: number;
  readonly #table: TraceTable;
  readonly #scanner = new RowScanner();
  readonly #services = new NameNumbers(10_000);
  readonly #operations = new NameNumbers(50_000);
  readonly #chance = new TraceChance();
  /** For each rate policy: number of traces kept in this minute, by the number of the service or operation. */
  readonly #quotas: readonly Map<number, number>[];
  readonly #errorBits: number;
  readonly #slowSpans: readonly { readonly bit: number; readonly thresholdNs: number }[];
  readonly #attributes: readonly {
    readonly bit: number;
    readonly key: string;
    readonly values: ReadonlySet<string> | undefined;
  }[];
  readonly #needsOperation: boolean;
  readonly #id = new Uint8Array(16);
  /** True between `hold` and `release`. */
  #isHeld = false;
  /** The minute of the clock for which `#quotas` count. */
  #minute = 0;
  /** Number of undecided traces, which are the newest in the table. */
  #open = 0;
  /** Bits of the policies that apply to the service of the last row. */
  #serviceMask = 0;
  #service = Buffer.alloc(0);
  #isFirstService = true;

  constructor(settings: TailSamplerSettings, observer: TailObserver) {
    const { policies } = settings;
    this.decisionWaitMs = settings.decisionWaitMs;
    this.statesProbability = settings.statesProbability ?? false;
    this.#policies = policies;
    this.#keptWith = policies.map(keptWith);
    this.#observer = observer;
    this.#now = settings.now;
    this.#maxTraces = settings.maxTraces;
    this.#table = new TraceTable(settings.maxTraces * rememberedFactor);
    this.#quotas = policies.map(() => new Map());
    const entries = policies.map((policy, index) => ({ policy, bit: 1 << index }));
    this.#errorBits = entries.reduce(
      (bits, { policy, bit }) => (policy.type === "error" ? bits | bit : bits),
      0,
    );
    this.#slowSpans = entries.flatMap(({ policy, bit }) =>
      policy.type === "latency" && policy.of === "span" ? [{ bit, thresholdNs: policy.threshold * 1e6 }] : [],
    );
    this.#attributes = entries.flatMap(({ policy, bit }) =>
      policy.type === "attribute"
        ? [{ bit, key: policy.key, values: policy.values && new Set(policy.values) }]
        : [],
    );
    this.#needsOperation = policies.some((policy) => policy.type === "rate" && policy.per === "operation");
  }

  /** Number of undecided traces. */
  get openTraces(): number {
    return this.#open;
  }

  /** Reads rows before the journal stores them, without changing them. */
  observe(rows: SpanRows): void {
    const scanner = this.#scanner;
    const table = this.#table;
    const now = this.#now();
    this.decideUpTo(now);
    let late = 0;
    scanner.open(rows);
    while (scanner.next()) {
      let slot = table.find(scanner.bytes, scanner.traceIdAt);
      if (slot === absent) {
        slot = this.#begin(now);
      } else if (table.verdict(slot) !== 0) {
        late++;
        continue;
      }
      this.#look(slot);
    }
    if (late > 0) {
      this.#observer.lateSpans(late);
    }
  }

  /** Delays decisions until `release`, except early ones, while the segments of an earlier run are observed. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
  }

  /** Decides the traces whose window has ended at `nowMs`. */
  decideUpTo(nowMs: number): void {
    if (this.#isHeld) {
      return;
    }
    const table = this.#table;
    while (this.#open > 0 && nowMs - table.firstSeenMs(this.#oldestOpen()) >= this.decisionWaitMs) {
      this.#decideOldest(false);
    }
  }

  /** Decides all traces now, because the process stops before their windows end. */
  decideAll(): void {
    while (this.#open > 0) {
      this.#decideOldest(true);
    }
  }

  /**
   * Decides about rows that were observed. Must be called after the window of the youngest row has ended. A row whose
   * trace is undecided, or whose decision was forgotten, is kept.
   */
  judge(rows: SpanRows): RowVerdicts {
    // A separate scanner, because the sampler's scanner would keep the segment's buffer in memory.
    const scanner = new RowScanner();
    const table = this.#table;
    const decisions = new Uint8Array(rows.count);
    const counts = new Uint32Array(firstKept + this.#policies.length);
    let row = 0;
    scanner.open(rows);
    while (scanner.next()) {
      const slot = table.find(scanner.bytes, scanner.traceIdAt);
      const decision = slot === absent ? 0 : table.verdict(slot);
      counts[decision] = (counts[decision] as number) + 1;
      decisions[row++] = decision;
    }
    for (const [decision, spans] of counts.entries()) {
      if (spans === 0) {
        continue;
      }
      if (decision === 0) {
        this.#observer.forgottenSpans(spans);
      } else {
        this.#observer.spansDecided(this.#policies[decision - firstKept]?.name, spans);
      }
    }
    return {
      isKept: (at) => decisions[at] !== dropped,
      keptWith: (at) => this.#keptWith[(decisions[at] as number) - firstKept] ?? "undecided",
    };
  }

  /** Adds a new trace, and decides the oldest trace when there are too many. */
  #begin(now: number): number {
    if (this.#open >= this.#maxTraces) {
      this.#decideOldest(true);
    }
    const slot = this.#table.add(now);
    this.#open++;
    this.#nameTrace(slot);
    return slot;
  }

  /** Updates a trace with a span: its times, its root, and the policies that the span matches. */
  #look(slot: number): void {
    const scanner = this.#scanner;
    const table = this.#table;
    if (scanner.isRoot && table.seeRoot(slot)) {
      this.#nameTrace(slot);
    }
    const start = scanner.startUnixNs;
    const duration = scanner.durationNs;
    table.extend(slot, start, start + duration);
    let bits = scanner.status === statusError ? this.#errorBits : 0;
    for (const { bit, thresholdNs } of this.#slowSpans) {
      if (duration >= thresholdNs) {
        bits |= bit;
      }
    }
    for (const { bit, key, values } of this.#attributes) {
      if (fits(scanner.attributeText(key), values) || fits(scanner.resourceAttributeText(key), values)) {
        bits |= bit;
      }
    }
    if (bits !== 0) {
      table.match(slot, bits & this.#maskOfService());
    }
  }

  /** Sets the service and operation of a trace: from its root span, or from its first span until the root arrives. */
  #nameTrace(slot: number): void {
    const { bytes, serviceStart, serviceEnd, nameStart, nameEnd } = this.#scanner;
    const service = this.#services.numberOf(bytes, serviceStart, serviceEnd);
    const operation = this.#needsOperation
      ? this.#operations.numberOf(bytes, nameStart, nameEnd, `${service}/`)
      : 0;
    this.#table.setName(slot, service, operation);
  }

  /** The policies that apply to the service of the present row; computed once for consecutive rows of one service. */
  #maskOfService(): number {
    const { bytes, serviceStart, serviceEnd } = this.#scanner;
    const service = Buffer.from(bytes.buffer, bytes.byteOffset + serviceStart, serviceEnd - serviceStart);
    if (this.#isFirstService || !service.equals(this.#service)) {
      this.#isFirstService = false;
      this.#service = Buffer.from(service);
      const name = service.toString();
      this.#serviceMask = this.#policies.reduce(
        (mask, { services }, index) =>
          services === undefined || services.includes(name) ? mask | (1 << index) : mask,
        0,
      );
    }
    return this.#serviceMask;
  }

  #oldestOpen(): number {
    const { newest, capacity } = this.#table;
    return (newest - this.#open + 1 + capacity) % capacity;
  }

  #decideOldest(early: boolean): void {
    const slot = this.#oldestOpen();
    this.#open--;
    const index = this.#firstThatKeeps(slot);
    this.#table.setVerdict(slot, index === -1 ? dropped : firstKept + index);
    this.#observer.traceDecided(this.#policies[index]?.name, early);
  }

  #firstThatKeeps(slot: number): number {
    const policies = this.#policies;
    for (let index = 0; index < policies.length; index++) {
      const policy = policies[index];
      if (policy !== undefined && this.#keeps(policy, index, slot)) {
        return index;
      }
    }
    return -1;
  }

  #keeps(policy: TailPolicy, index: number, slot: number): boolean {
    const table = this.#table;
    if (
      policy.type === "error" ||
      policy.type === "attribute" ||
      (policy.type === "latency" && policy.of === "span")
    ) {
      return (table.matched(slot) & (1 << index)) !== 0;
    }
    const service = table.service(slot);
    if (policy.services !== undefined && !policy.services.includes(this.#services.nameOf(service))) {
      return false;
    }
    if (policy.type === "latency") {
      return table.durationNs(slot) + roundingNs >= policy.threshold * 1e6;
    }
    if (policy.type === "rate") {
      const key = policy.per === "service" ? service : table.operation(slot);
      return this.#takeOfQuota(index, key, policy["traces-per-minute"]);
    }
    table.copyId(slot, this.#id);
    return this.#chance.of(this.#id, 0) < policy.ratio;
  }

  /** @returns true when the service or operation has not reached its limit of this minute */
  #takeOfQuota(index: number, key: number, tracesPerMinute: number): boolean {
    const minute = Math.floor(this.#now() / minuteMs);
    if (minute !== this.#minute) {
      this.#minute = minute;
      for (const quota of this.#quotas) {
        quota.clear();
      }
    }
    const quota = this.#quotas[index];
    const taken = quota?.get(key) ?? 0;
    if (taken >= tracesPerMinute) {
      return false;
    }
    quota?.set(key, taken + 1);
    return true;
  }
}

/**
 * The probability with which a policy keeps the traces that match it and no earlier policy. A rate policy keeps some
 * traces and leaves the others to later policies. If a later probability policy samples those others, each trace that
 * the rate kept counts as one. If the others are dropped, the probability of a trace that the rate kept is unknown.
 */
function keptWith(policy: TailPolicy, index: number, policies: readonly TailPolicy[]): KeptWith {
  switch (policy.type) {
    case "probability":
      return policy.ratio;
    case "rate":
      return policies
        .slice(index + 1)
        .some((later) => later.type === "probability" && later.ratio > 0 && later.services === undefined)
        ? 1
        : "unknown";
    default:
      return 1;
  }
}

/** True when an attribute exists and, if values are given, has one of them. */
function fits(text: string | undefined, values: ReadonlySet<string> | undefined): boolean {
  return text !== undefined && (values === undefined || values.has(text));
}
