import {
  floatBucket,
  floatBucketStart,
  floatQuantile,
  type ReadOptions,
  type TimeRange,
  type TraceQlGroup,
  type TraceQlMetrics,
  type TraceQlSeries,
} from "storage/api";
import type { AttributeValue } from "wire/model";
import { costOfTokens, type ModelPrice, priceOf } from "wire/model-price";
import { attributeText } from "wire/rows";
import { checkMetricsSize } from "../answer-size.ts";
import type { ReadLimits } from "../read-limits.ts";
import type { SearchService } from "../search-service.ts";
import {
  anyOf,
  firstTokenNames,
  type GenAiSubject,
  hasValue,
  isModelCall,
  subjectNames,
  type TokenKind,
  tokenNames,
} from "./gen-ai-names.ts";
import { parseGroupedQuery } from "./grouped-query.ts";

/** Maximum number of groups. Further groups are left out, and the answer says `truncated`. */
const mostSeries = 10_000;

/** Tokens and times of a group of calls. */
export class CallFigures {
  calls = 0;
  errors = 0;
  /** Tokens by the name of the model that answered, which decides the price. */
  readonly tokens = new Map<string, Record<TokenKind, number>>();
  readonly #durations = new Map<number, number>();
  #longestNano = 0;
  readonly #firstTokens = new Map<number, number>();

  addCalls({ spans, greatest, buckets }: TraceQlGroup, isFailed: boolean): void {
    this.calls += spans;
    this.errors += isFailed ? spans : 0;
    this.#longestNano = Math.max(this.#longestNano, greatest);
    for (const [bucket, count] of buckets) {
      this.#durations.set(bucket, (this.#durations.get(bucket) ?? 0) + count);
    }
  }

  /** @param unitUs unit of the group's numbers, in microseconds */
  addFirstTokens({ buckets }: TraceQlGroup, unitUs: number): void {
    for (const [bucket, count] of buckets) {
      const own = floatBucket(floatBucketStart(bucket + 1) * unitUs);
      this.#firstTokens.set(own, (this.#firstTokens.get(own) ?? 0) + count);
    }
  }

  addTokens(model: string, kind: TokenKind, count: number): void {
    const tokens = this.tokens.get(model) ?? { input: 0, output: 0, cached: 0 };
    this.tokens.set(model, tokens);
    tokens[kind] += count;
  }

  /** Duration in microseconds that this share of calls does not exceed. */
  durationUs(quantile: number): number {
    return this.calls === 0 ? 0 : Math.min(this.#longestNano, floatQuantile(this.#durations, quantile)) / 1e3;
  }

  /** Microseconds to the first token; undefined when no call has the time. */
  firstTokenUs(quantile: number): number | undefined {
    return this.#firstTokens.size === 0 ? undefined : floatQuantile(this.#firstTokens, quantile);
  }

  /** Sums of the tokens, their cost, and the tokens whose model has no price. */
  totals(prices: readonly ModelPrice[]): TokenTotals {
    return totalsOf(this.tokens, prices);
  }
}

/** Sums over models. */
export interface TokenTotals extends Record<TokenKind, number> {
  /** Undefined when no model has a price. */
  readonly cost: number | undefined;
  /** Input and output tokens that the cost does not include. */
  readonly unpriced: number;
}

type TokensByModel = ReadonlyMap<string, Readonly<Record<TokenKind, number>>>;

function totalsOf(byModel: TokensByModel, prices: readonly ModelPrice[]): TokenTotals {
  const sums = { input: 0, output: 0, cached: 0, unpriced: 0 };
  let cost: number | undefined;
  for (const [model, tokens] of byModel) {
    sums.input += tokens.input;
    sums.output += tokens.output;
    sums.cached += tokens.cached;
    const price = model === "" ? undefined : priceOf(model, prices);
    if (price === undefined) {
      sums.unpriced += tokens.input + tokens.output;
    } else {
      cost = (cost ?? 0) + costOfTokens(tokens, price);
    }
  }
  return { ...sums, cost };
}

/** Figures of one step of the curve. */
export interface CallStep {
  /** Index of the step, from 0. */
  readonly step: number;
  calls: number;
  errors: number;
  readonly tokens: CallFigures;
  /** Durations in microseconds. */
  p50: number;
  p95: number;
}

/** Figures of calls of models. */
export interface GenAiFigures {
  /** Groups by the text of the subject; null: calls without it. */
  readonly groups: ReadonlyMap<string | null, CallFigures>;
  /** All calls together. */
  readonly sum: CallFigures;
  /** Steps with calls, in the order of time. */
  readonly steps: readonly CallStep[];
  /** Start of the first step. */
  readonly startUnixNano: bigint;
  /** True when there are more groups than are counted. */
  readonly truncated: boolean;
  /** TraceQL that selects the counted spans. */
  readonly query: string;
}

/** The calls to count, and their groups. */
export interface GenAiQuestion {
  readonly by: GenAiSubject;
  /** Values that the calls must have. */
  readonly where: Readonly<Partial<Record<GenAiSubject, string | undefined>>>;
  readonly range: TimeRange;
  /** Length of a step of the curve. */
  readonly stepNano: bigint;
}

/**
 * Lets the store count the calls of models. The first name of each list in `gen-ai-names.ts` is always queried. The
 * other names cost queries only when a span has one of them.
 * @throws QueryError QUERY_FORBIDDEN when a subject is a marked attribute
 */
export async function readGenAiFigures(
  question: GenAiQuestion,
  search: SearchService,
  limits: ReadLimits,
  read: ReadOptions,
): Promise<GenAiFigures> {
  const counting = new Counting(question, search, limits, read);
  await counting.run();
  return counting.figures();
}

/** The reads of one question. */
class Counting {
  readonly #question: GenAiQuestion;
  readonly #search: SearchService;
  readonly #limits: ReadLimits;
  readonly #read: ReadOptions;
  /** Condition of the calls that count. */
  readonly #calls: string;
  readonly #groups = new Map<string | null, CallFigures>();
  readonly #sum = new CallFigures();
  readonly #steps = new Map<number, CallStep>();
  #isTruncated = false;

  constructor(question: GenAiQuestion, search: SearchService, limits: ReadLimits, read: ReadOptions) {
    this.#question = question;
    this.#search = search;
    this.#limits = limits;
    this.#read = read;
    const where = Object.entries(question.where).flatMap(([subject, value]) =>
      value === undefined ? [] : [hasValue(subject as GenAiSubject, value)],
    );
    this.#calls = [isModelCall, ...where].join(" && ");
  }

  async run(): Promise<void> {
    await this.#readCalls();
    if (this.#sum.calls === 0) {
      return;
    }
    const most = (await this.#hasOtherNames()) ? Number.POSITIVE_INFINITY : 1;
    // Three reads at a time, so that one page does not take all threads of the store.
    await Promise.all([this.#readTokens(most), this.#readFirstTokens(most), this.#readCurve()]);
  }

  figures(): GenAiFigures {
    return {
      groups: this.#groups,
      sum: this.#sum,
      steps: [...this.#steps.values()].sort((a, b) => a.step - b.step),
      startUnixNano: this.#startNano,
      truncated: this.#isTruncated,
      query: `{ ${this.#calls} }`,
    };
  }

  get #startNano(): bigint {
    const { range, stepNano } = this.#question;
    return (range.startUnixNano / stepNano) * stepNano;
  }

  async #readCalls(): Promise<void> {
    const names = subjectNames[this.#question.by];
    const text = `{ ${this.#calls} } | quantile_over_time(duration, 0.5)`;
    for (const group of await this.#readGroups(text, [...names, "status"])) {
      const isFailed = textOf(group.values.at(-1)) === "error";
      this.#sum.addCalls(group, isFailed);
      this.#group(firstOf(group.values.slice(0, names.length)))?.addCalls(group, isFailed);
    }
  }

  /** True when a call has numbers under a name that is not the first of its list. */
  async #hasOtherNames(): Promise<boolean> {
    const others = [
      ...Object.values(tokenNames).flatMap((names) => names.slice(1)),
      ...firstTokenNames.slice(1).map(({ name }) => name),
    ];
    const text = `{ ${this.#calls} && ${anyOf(others)} } | count_over_time()`;
    const { series } = await this.#readSeries(text, [], this.#question.range.endUnixNano);
    return series.some(({ samples }) => samples.some(({ value }) => value > 0));
  }

  /** @param most maximum number of names to query in each list */
  async #readTokens(most: number): Promise<void> {
    const { by, stepNano } = this.#question;
    const subjects = subjectNames[by];
    const labels = [...new Set([...subjects, ...subjectNames.model])];
    for (const [kind, names] of Object.entries(tokenNames) as [TokenKind, readonly string[]][]) {
      for (const [index, name] of names.slice(0, most).entries()) {
        const earlier = names.slice(0, index).map((other) => `${other} = nil`);
        const isFirst = [`${name} != nil`, ...earlier].join(" && ");
        const text = `{ ${this.#calls} && ${isFirst} } | sum_over_time(${name})`;
        const { series } = await this.#readSeries(text, labels, stepNano);
        for (const one of series) {
          this.#addTokens(one, kind);
        }
      }
    }
  }

  #addTokens(series: TraceQlSeries, kind: TokenKind): void {
    const values = new Map(series.labels);
    const named = (names: readonly string[]) => firstOf(names.map((name) => values.get(name)));
    const model = named(subjectNames.model) ?? "";
    const group = this.#group(named(subjectNames[this.#question.by]));
    for (const { unixNano, value } of series.samples) {
      this.#sum.addTokens(model, kind, value);
      group?.addTokens(model, kind, value);
      this.#step(unixNano).tokens.addTokens(model, kind, value);
    }
  }

  /** @param most maximum number of names to query */
  async #readFirstTokens(most: number): Promise<void> {
    const names = subjectNames[this.#question.by];
    for (const [index, { name, unitUs }] of firstTokenNames.slice(0, most).entries()) {
      const earlier = firstTokenNames.slice(0, index).map((one) => one.name);
      const isFirst = [`${name} != nil`, ...earlier.map((other) => `${other} = nil`)].join(" && ");
      const text = `{ ${this.#calls} && ${isFirst} } | quantile_over_time(${name}, 0.5)`;
      for (const group of await this.#readGroups(text, names)) {
        this.#sum.addFirstTokens(group, unitUs);
        this.#group(firstOf(group.values))?.addFirstTokens(group, unitUs);
      }
    }
  }

  /** Reads calls, errors and durations by step. `#readTokens` adds the tokens of the steps. */
  async #readCurve(): Promise<void> {
    const { stepNano } = this.#question;
    const counts = await this.#readSeries(`{ ${this.#calls} } | count_over_time()`, ["status"], stepNano);
    for (const { labels, samples } of counts.series) {
      const isFailed = labels.some(([key, value]) => key === "status" && textOf(value) === "error");
      for (const { unixNano, value } of samples) {
        if (value > 0) {
          const step = this.#step(unixNano);
          step.calls += value;
          step.errors += isFailed ? value : 0;
        }
      }
    }
    const durations = await this.#readSeries(
      `{ ${this.#calls} } | quantile_over_time(duration, 0.5, 0.95)`,
      [],
      stepNano,
    );
    for (const { labels, samples } of durations.series) {
      const quantile = Number(textOf(labels.find(([key]) => key === "p")?.[1]));
      for (const { unixNano, value } of samples) {
        this.#step(unixNano)[quantile === 0.5 ? "p50" : "p95"] = value * 1e6;
      }
    }
  }

  #step(endUnixNano: bigint): CallStep {
    const index = Number((endUnixNano - 1n - this.#startNano) / this.#question.stepNano);
    const known = this.#steps.get(index);
    if (known !== undefined) {
      return known;
    }
    const step = { step: index, calls: 0, errors: 0, tokens: new CallFigures(), p50: 0, p95: 0 };
    this.#steps.set(index, step);
    return step;
  }

  /** Undefined for a group past the limit, which counts in the sum only. */
  #group(value: string | null): CallFigures | undefined {
    const known = this.#groups.get(value);
    if (known !== undefined) {
      return known;
    }
    if (this.#groups.size >= mostSeries) {
      this.#isTruncated = true;
      return undefined;
    }
    const group = new CallFigures();
    this.#groups.set(value, group);
    return group;
  }

  async #readGroups(text: string, by: readonly string[]): Promise<TraceQlGroup[]> {
    const query = parseGroupedQuery(text, by);
    return await this.#search.groups({ query, range: this.#question.range }, this.#read);
  }

  async #readSeries(text: string, by: readonly string[], stepNano: bigint): Promise<TraceQlMetrics> {
    const query = parseGroupedQuery(text, by);
    const { range } = this.#question;
    const metrics = await this.#search.metrics({ query, range, stepNano, maxSeries: mostSeries }, this.#read);
    checkMetricsSize(metrics, this.#limits);
    this.#isTruncated ||= metrics.truncated;
    return metrics;
  }
}

function textOf(value: AttributeValue | undefined): string {
  return value === undefined || value.type === "empty" ? "" : attributeText(value);
}

/** The first value that is not empty, as text; null for none. */
function firstOf(values: readonly (AttributeValue | undefined)[]): string | null {
  return values.map(textOf).find((text) => text !== "") ?? null;
}
