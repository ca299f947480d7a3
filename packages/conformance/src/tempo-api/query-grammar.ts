/**
 * Generates TraceQL queries as text from a grammar, including queries that our parser refuses. The same seed gives the
 * same queries. Source of the grammar: Tempo's documentation of TraceQL
 */

/**
 * Numbers that look random; the same seed gives the same numbers. Source: Tommy Ettinger's mulberry32, public domain
 */
class Choice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A number from 0 to 1, without 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  of<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) {
      throw new Error("nothing to choose from");
    }
    return item;
  }

  times(most: number): number {
    return Math.floor(this.next() * (most + 1));
  }
}

const numbers = [
  ...[
    "span.http.status_code",
    ".http.status_code",
    "span.load",
    ".load",
    "span.rows",
    ".amount",
    ".attempts",
  ],
  ...["span.int", "span.double", "span.whole", "span.depth", ".replica", "resource.only.resource", ".ints"],
  ...["span.negative", "span.doubles", "span.mixed", "event.attempt", "span.items", "span.absent"],
];
const strings = [
  ...[
    "resource.service.name",
    ".service.name",
    "resource.service.version",
    ".cloud.zone",
    "span.http.method",
  ],
  ...[
    "span.db.system",
    ".queue.name",
    "span.text",
    ".both",
    "resource.both",
    "span.both",
    "span.texts",
    ".texts",
  ],
  ...["event.exception.type", "link.link.reason", "instrumentation.lib.flavour", "span.empty", "span.mixed"],
  ...['span."a b"', "span.absent", "resource.deployment.environment", "span.mixedList"],
];
const booleans = [
  ...["span.retried", ".retried", "span.yes", "span.no", "span.bools", "resource.flags", ".mixed"],
  "event.exception.escaped",
];
const durations = ["duration", "span:duration", "traceDuration", "trace:duration", "event:timeSinceStart"];
const texts = [
  ...["name", "span:name", "statusMessage", "span:statusMessage", "rootName", "trace:rootName"],
  ...[
    "rootServiceName",
    "trace:rootService",
    "event:name",
    "instrumentation:name",
    "instrumentation:version",
  ],
];
const ids = ["span:id", "span:parentID", "trace:id", "link:spanID", "link:traceID"];
const nested = ["nestedSetParent", "nestedSetLeft", "nestedSetRight"];

const words = [
  ...[
    '"shop"',
    '"payment"',
    '"worker"',
    '"types"',
    '"x"',
    '"y"',
    '"X"',
    '""',
    '"GET"',
    '"POST"',
    '"postgresql"',
  ],
  ...[
    '"span"',
    '"resource"',
    '"orders"',
    '"Refused"',
    '"fast"',
    '"follows"',
    '"1.2"',
    '"7"',
    '"space"',
    "`dev`",
  ],
];
const names = [
  ...[
    '"POST /checkout"',
    '"charge"',
    '"consume"',
    '"leaf"',
    '"mixed"',
    '""',
    '"exception"',
    '"retry"',
    '"shop"',
  ],
  ...['"card refused"', '"lib.http"', '"lib.grpc"', '"1.0.0"', '"<root span not yet received>"', '"level 3"'],
];
const patterns = [
  ...[
    '".*"',
    '"s.*"',
    '"(shop|worker)"',
    '"[a-z]+"',
    '".+"',
    '"P.*"',
    '"SELECT.*"',
    '"x|y"',
    '"level [0-4]"',
  ],
  ...['"(?i)SHOP"', '"eu-\\\\d"', '""', '"GET|POST"', '"^shop$"', '"hop"'],
];
const idTexts = [
  ...[
    '"50000000000000a1"',
    '"a1"',
    '"f102030405060708090a0b0c0d0e0f20"',
    '"a1a2a3a4a5a6a7a8"',
    '"50000000000000b1"',
  ],
  ...['"d1d2d3d4d5d6d7d8a1a2a3a4a5a6a7a8"', '""'],
];
const numberTexts = [
  "0",
  "1",
  "2",
  "3",
  "7",
  "7.5",
  "200",
  "402",
  "500",
  "0.5",
  "12.5",
  "-7",
  "1.5",
  "-1",
  "40",
];
const durationTexts = ["0s", "1ms", "10ms", "15ms", "100ms", "400ms", "0.5s", "1s", "2ns", "200ms"];
const comparing = ["=", "!=", "<", "<=", ">", ">="];
const structural = [
  ...["&&", "||", ">", ">>", "<", "<<", "~", "!>", "!>>", "!<", "!<<", "!~", "&>", "&>>", "&<", "&<<", "&~"],
];

class QueryGrammar {
  readonly #choice: Choice;

  constructor(seed: number) {
    this.#choice = new Choice(seed);
  }

  #number(depth: number): string {
    const { next, of } = this.#bound();
    const roll = next();
    if (depth <= 0 || roll < 0.75) {
      return of(numbers);
    }
    const operator = of(["+", "-", "*", "/", "%", "^"]);
    const left = this.#number(depth - 1);
    // In Tempo, dividing a whole number by 0 ends the process.
    if (operator === "/" || operator === "%") {
      return `(${left} ${operator} ${of(["2", "7", "0.5", "-1"])})`;
    }
    return `(${left} ${operator} ${next() < 0.6 ? of(numberTexts) : this.#number(depth - 1)})`;
  }

  #bound() {
    const choice = this.#choice;
    return {
      next: () => choice.next(),
      of: <T>(items: readonly T[]) => choice.of(items),
      times: (most: number) => choice.times(most),
    };
  }

  /** A comparison, or a field that is true or false. */
  #condition(): string {
    const { next, of } = this.#bound();
    const roll = next();
    if (roll < 0.22) {
      return `${this.#number(1)} ${of(comparing)} ${of(numberTexts)}`;
    }
    if (roll < 0.38) {
      return `${of(strings)} ${of(next() < 0.8 ? ["=", "!="] : comparing)} ${of(words)}`;
    }
    if (roll < 0.46) {
      return `${of(strings)} ${of(["=~", "!~"])} ${of(patterns)}`;
    }
    if (roll < 0.52) {
      return `${of(texts)} ${of(["=~", "!~"])} ${of(patterns)}`;
    }
    if (roll < 0.6) {
      return `${of(texts)} ${of(["=", "!=", "=", "!=", "<", ">="])} ${of(names)}`;
    }
    if (roll < 0.67) {
      return `${of(durations)} ${of(comparing)} ${of(durationTexts)}`;
    }
    if (roll < 0.73) {
      return `${of(["status", "span:status"])} ${of(["=", "!="])} ${of(["ok", "error", "unset"])}`;
    }
    if (roll < 0.79) {
      const kinds = ["server", "client", "internal", "producer", "consumer", "unspecified"];
      return `${of(["kind", "span:kind"])} ${of(["=", "!="])} ${of(kinds)}`;
    }
    if (roll < 0.86) {
      return `${of([...numbers, ...strings, ...booleans])} != nil`;
    }
    if (roll < 0.91) {
      return `${of(booleans)} ${of(["=", "!="])} ${of(["true", "false"])}`;
    }
    if (roll < 0.94) {
      return of(booleans);
    }
    if (roll < 0.97) {
      return `${of(ids)} ${of(["=", "!=", "=~"])} ${of(idTexts)}`;
    }
    return `${of(nested)} ${of(comparing)} ${of(["0", "1", "2", "-1", "3", "9"])}`;
  }

  condition(depth: number): string {
    const { next, of } = this.#bound();
    const roll = next();
    if (depth <= 0 || roll < 0.45) {
      return this.#condition();
    }
    if (roll < 0.52) {
      return `!(${this.condition(depth - 1)})`;
    }
    if (roll < 0.57) {
      return of(["true", "false"]);
    }
    const [left, right] = [this.condition(depth - 1), this.condition(depth - 1)];
    return next() < 0.3 ? `(${left} ${of(["&&", "||"])} ${right})` : `${left} ${of(["&&", "||"])} ${right}`;
  }

  filter(depth: number): string {
    return this.#choice.next() < 0.1 ? "{ }" : `{ ${this.condition(depth)} }`;
  }

  spansets(depth: number): string {
    const { next, of } = this.#bound();
    const roll = next();
    if (depth <= 0 || roll < 0.4) {
      return this.filter(2);
    }
    const [left, right] = [this.spansets(depth - 1), this.spansets(depth - 1)];
    const joined = `${left} ${of(structural)} ${right}`;
    return next() < 0.3 ? `(${joined})` : joined;
  }

  #stages(most: number): string {
    const { of, times } = this.#bound();
    const fields = [...numbers, ...strings, ...booleans, ...texts, "status", "kind", "duration"];
    let text = "";
    for (let count = times(most); count > 0; count--) {
      const aggregate = () =>
        `${of(["avg", "min", "max", "sum"])}(${of(numbers)}) ${of(comparing)} ${of(numberTexts)}`;
      text += ` | ${of([
        () => `count() ${of(comparing)} ${of(["0", "1", "2", "3", "5"])}`,
        aggregate,
        aggregate,
        () => `${of(["avg", "min", "max", "sum"])}(duration) ${of(comparing)} ${of(durationTexts)}`,
        () => `by(${of(fields)})`,
        () => `by(${of(fields)}) | coalesce()`,
        () => `select(${of(fields)}, ${of(fields)})`,
        () => this.filter(1),
      ])()}`;
    }
    return text;
  }

  search(): string {
    if (this.#choice.next() < 0.08) {
      // A pipeline may be combined only with another pipeline.
      const [left, right] = [0, 1].map(() => `(${this.filter(1)} | count() > 0${this.#stages(1)})`);
      return `${left} ${this.#choice.of(structural)} ${right}`;
    }
    return `${this.spansets(2)}${this.#choice.next() < 0.5 ? this.#stages(2) : ""}`;
  }

  metrics(): string {
    const { next, of, times } = this.#bound();
    const numeric = [
      "duration",
      ".load",
      "span.http.status_code",
      "span.depth",
      ".amount",
      "span.rows",
      "span.int",
    ];
    const labels = [
      ...["name", "kind", "status", "resource.service.name", ".http.method", "span.mixed", "span.retried"],
      ...["rootName", "span.absent", ".both", "statusMessage", "span.texts", "span.depth"],
    ];
    const measure = of([
      () => "rate()",
      () => "count_over_time()",
      () => `${of(["min", "max", "avg", "sum"])}_over_time(${of(numeric)})`,
      () => `${of(["min", "max", "avg", "sum"])}_over_time(${of(numeric)})`,
      () => `quantile_over_time(${of(numeric)}, ${of([".5", ".9, .99", "0", "1"])})`,
      () => `histogram_over_time(${of(numeric)})`,
    ])();
    const by = Array.from({ length: times(2) }, () => of(labels));
    const grouped = by.length === 0 ? "" : ` by(${by.join(", ")})`;
    const last = next() < 0.25 ? ` | ${of(["topk", "bottomk"])}(${of(["1", "2", "10"])})` : "";
    const source = next() < 0.75 ? this.filter(1) : this.spansets(1);
    return `${source} | ${measure}${grouped}${last}`;
  }
}

/** Queries for traces. @param count number of queries; a larger count begins with the same queries */
export function searchQueries(count: number, seed: number): string[] {
  const grammar = new QueryGrammar(seed);
  return [...new Set(Array.from({ length: count }, () => grammar.search()))];
}

export function metricsQueries(count: number, seed: number): string[] {
  const grammar = new QueryGrammar(seed);
  return [...new Set(Array.from({ length: count }, () => grammar.metrics()))];
}
