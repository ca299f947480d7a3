import { RowScanner, type SpanRows } from "wire/rows";
import type { RowStep } from "../../pipeline/row-step.ts";
import type { ThroughputCounter } from "./throughput-counter.ts";

/** 1 for the sampler type whose spans count as sampled. Spans of other types only announce the operation. */
const sampledByType: ReadonlyMap<string, number> = new Map([
  ["probabilistic", 1],
  ["lowerbound", 0],
  ["ratelimiting", 0],
  ["const", 0],
]);

/**
 * Counts the throughput of root spans that have a service, a name, and the tags `sampler.type` and `sampler.param`.
 * Clients set these on spans that begin a trace. OpenTelemetry's remote sampler for Go uses `jaeger.sampler.type` and
 * `jaeger.sampler.param`. Rows are not changed. Source: Jaeger 1.62,
 * plugin/sampling/strategyprovider/adaptive/aggregator.go, HandleRootSpan; opentelemetry-go-contrib,
 * samplers/jaegerremote
 */
export class RootSpanStep implements RowStep {
  readonly #scanner = new RowScanner();
  readonly #counter: Pick<ThroughputCounter, "record">;

  constructor(counter: Pick<ThroughputCounter, "record">) {
    this.#counter = counter;
  }

  apply(rows: SpanRows): SpanRows {
    const scanner = this.#scanner;
    scanner.open(rows);
    while (scanner.next()) {
      if (scanner.isRoot) {
        this.#look(scanner);
      }
    }
    return rows;
  }

  #look(scanner: RowScanner): void {
    const { serviceStart, serviceEnd, nameStart, nameEnd } = scanner;
    if (serviceStart === serviceEnd || nameStart === nameEnd) {
      return;
    }
    const sampled = sampledByType.get(tagOf(scanner, "sampler.type") ?? "");
    if (sampled === undefined) {
      return;
    }
    const probability = parameterOf(tagOf(scanner, "sampler.param"));
    if (probability === undefined) {
      return;
    }
    const { buffer, byteOffset, length } = scanner.bytes;
    const bytes = Buffer.from(buffer, byteOffset, length);
    const service = bytes.toString("utf8", serviceStart, serviceEnd);
    const operation = bytes.toString("utf8", nameStart, nameEnd);
    this.#counter.record(service, operation, sampled, probability);
  }
}

function tagOf(scanner: RowScanner, key: "sampler.type" | "sampler.param"): string | undefined {
  return scanner.attributeText(key) ?? scanner.attributeText(`jaeger.${key}`);
}

/** The parameter may be a double, an integer or a text. */
function parameterOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) {
    return undefined;
  }
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
