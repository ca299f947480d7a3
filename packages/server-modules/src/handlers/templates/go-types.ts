import { formatGoDuration } from "server-core/go/go-duration";

/** A value of a struct type of Go: its fields and methods, and no others. */
export class TemplateStruct {
  /** Name of the type in messages: `*http.Request`. */
  readonly type: string;
  /** Fields, and methods as functions. A getter is read when a template names it. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly #text: (() => string) | undefined;

  /** @param text how the value is printed; by default as Go prints a struct, `{a b}` */
  constructor(type: string, members: Readonly<Record<string, unknown>>, text?: () => string) {
    this.type = type;
    this.members = members;
    this.#text = text;
  }

  /** The value as its own type prints it; undefined where it has no such method. */
  toText(): string | undefined {
    return this.#text?.();
  }

  /** Fields without methods. */
  get fields(): [string, unknown][] {
    return Object.entries(this.members).filter(([, value]) => typeof value !== "function");
  }
}

/**
 * A map of lists with methods, such as `http.Header`. A method takes precedence over a key with the same name. The list
 * of a missing key is empty.
 */
export class MapWithMethods extends Map<string, readonly unknown[]> {
  /** Methods by their names. */
  readonly methods: Readonly<Record<string, (...args: never[]) => unknown>>;

  constructor(
    entries: Iterable<readonly [string, readonly unknown[]]>,
    methods: Readonly<Record<string, (...args: never[]) => unknown>>,
  ) {
    super(entries);
    this.methods = methods;
  }
}

/** A number that prints as a name: a month, or a day of the week. It compares as its number. */
export class NamedNumber {
  /** Number that `%d` prints. */
  readonly value: number;
  /** Text that `{{.}}` prints. */
  readonly name: string;

  constructor(value: number, name: string) {
    this.value = value;
    this.name = name;
  }

  valueOf(): number {
    return this.value;
  }

  toString(): string {
    return this.name;
  }
}

/** A span of time, as Go has it: prints as `1h2m3s`, and compares as its nanoseconds. */
export class GoDuration {
  /** Milliseconds; may be a fraction. */
  readonly ms: number;

  constructor(ms: number) {
    this.ms = ms;
  }

  valueOf(): number {
    return this.ms * 1e6;
  }

  toString(): string {
    return formatGoDuration(this.ms);
  }

  /** Methods that templates call. */
  get members(): Readonly<Record<string, unknown>> {
    const { ms } = this;
    return {
      Hours: () => ms / 3_600_000,
      Minutes: () => ms / 60_000,
      Seconds: () => ms / 1000,
      Milliseconds: () => Math.trunc(ms),
      Microseconds: () => Math.trunc(ms * 1e3),
      Nanoseconds: () => Math.trunc(ms * 1e6),
      Abs: () => new GoDuration(Math.abs(ms)),
      String: () => this.toString(),
      Round: (to: unknown) => rounded(ms, Number(to) / 1e6, roundFromZero),
      Truncate: (to: unknown) => rounded(ms, Number(to) / 1e6, Math.trunc),
    };
  }
}

/** Rounds halves away from zero. */
function roundFromZero(value: number): number {
  return Math.sign(value) * Math.round(Math.abs(value));
}

function rounded(ms: number, step: number, round: (value: number) => number): GoDuration {
  return new GoDuration(step > 0 ? round(ms / step) * step : ms);
}
