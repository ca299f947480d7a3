import type { CompiledRule } from "./compiled-rule.ts";
import { attributePlaces, type PrivacyPlace, textPlaces } from "./privacy-fields.ts";
import { planFor, type ValuePlan } from "./value-plan.ts";

const slotCount = 4096;
/**
 * Maximum number of names for which a plan is cached. Senders choose the names: above the limit, all plans are dropped
 * and created again.
 */
const maxPlans = 4096;
/**
 * Length limit of cached names in bytes. Longer names are looked up each time, so that senders cannot fill the memory.
 */
export const maxKeptName = 256;

/** A name with its plan. */
export interface PlannedName {
  /** UTF-8 bytes of the name. */
  readonly key: Uint8Array;
  readonly plan: ValuePlan;
  readonly slot: number;
  /** Bytes of the name, four in each number. */
  readonly words: Int32Array;
  /** Slot of the name that followed this name last time. */
  next: number;
}

/** Plans for the attributes of one place, by the bytes of the attributes' names. */
export class PlanTable {
  readonly #rules: readonly CompiledRule[];
  readonly #place: PrivacyPlace;
  readonly #slots: (PlannedName | undefined)[] = new Array(slotCount).fill(undefined);
  readonly #plans = new Map<string, ValuePlan>();
  /** Entry that precedes the first name of a list. */
  readonly start: PlannedName;

  constructor(rules: readonly CompiledRule[], place: PrivacyPlace) {
    this.#rules = rules;
    this.#place = place;
    this.start = {
      key: Buffer.alloc(0),
      plan: planFor([], place, ""),
      slot: 0,
      words: new Int32Array(0),
      next: 0,
    };
  }

  /** The name in a slot; another name may have replaced the expected one. */
  at(slot: number): PlannedName | undefined {
    return this.#slots[slot];
  }

  /** @param hash any number that is equal for equal bytes */
  find(bytes: Uint8Array, start: number, end: number, hash: number): PlannedName {
    const slot = (hash ^ (hash >>> 15)) & (slotCount - 1);
    // Each hash has two slots, so two names with equal hashes can both be cached.
    const first = this.#slots[slot];
    if (first !== undefined && isSame(first.key, bytes, start, end)) {
      return first;
    }
    const second = this.#slots[slot ^ 1];
    if (second !== undefined && isSame(second.key, bytes, start, end)) {
      return second;
    }
    const key = Buffer.from(bytes.subarray(start, end));
    const place = this.#slots[slot] === undefined ? slot : slot ^ 1;
    const named = { key, plan: this.of(key.toString()), slot: place, words: wordsOf(key), next: 0 };
    if (key.length <= maxKeptName) {
      this.#slots[place] = named;
    }
    return named;
  }

  of(key: string): ValuePlan {
    const known = this.#plans.get(key);
    if (known !== undefined) {
      return known;
    }
    const plan = planFor(this.#rules, this.#place, key);
    if (key.length <= maxKeptName) {
      if (this.#plans.size >= maxPlans) {
        this.#plans.clear();
      }
      this.#plans.set(key, plan);
    }
    return plan;
  }
}

/**
 * True when the name is at `start`, followed by `mark`.
 * @param view bytes of the rows
 */
export function isNameAt({ key, words }: PlannedName, view: DataView, start: number, mark: number): boolean {
  const { length } = key;
  const end = start + length;
  if (end >= view.byteLength || view.getUint8(end) !== mark) {
    return false;
  }
  const whole = words.length;
  for (let index = 0; index < whole; index++) {
    if (words[index] !== view.getInt32(start + 4 * index, true)) {
      return false;
    }
  }
  for (let index = 4 * whole; index < length; index++) {
    if (key[index] !== view.getUint8(start + index)) {
      return false;
    }
  }
  return true;
}

function wordsOf(key: Buffer): Int32Array {
  return Int32Array.from({ length: key.length >> 2 }, (_, index) => key.readInt32LE(4 * index));
}

function isSame(key: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  const { length } = key;
  if (length !== end - start) {
    return false;
  }
  for (let index = 0; index < length; index++) {
    if (key[index] !== bytes[start + index]) {
      return false;
    }
  }
  return true;
}

type AttributePlace = (typeof attributePlaces)[number];
type TextPlace = (typeof textPlaces)[number];

/**
 * The rules for spans of certain services, scopes and tenants, grouped by place. A place without rules is undefined.
 */
export class RuleView {
  readonly tables: Readonly<Record<AttributePlace, PlanTable | undefined>>;
  readonly texts: Readonly<Record<TextPlace, ValuePlan | undefined>>;
  /** True when rules select attributes by name; such names may also occur inside of kvlists. */
  readonly hasNames: boolean;

  constructor(rules: readonly CompiledRule[]) {
    const tableOf = (place: AttributePlace) =>
      rules.some(({ places }) => places.has(place)) ? new PlanTable(rules, place) : undefined;
    const textOf = (place: TextPlace) => {
      const plan = planFor(rules, place, undefined);
      return plan.isIdle ? undefined : plan;
    };
    const record = <K extends string, V>(keys: readonly K[], of: (key: K) => V) =>
      Object.fromEntries(keys.map((key) => [key, of(key)])) as Record<K, V>;
    this.tables = record(attributePlaces, tableOf);
    this.texts = record(textPlaces, textOf);
    this.hasNames = rules.some(({ isNamed }) => isNamed !== undefined);
  }
}

/**
 * Maximum number of combinations of tenant, service and scope that are cached. Senders choose services and scopes:
 * above the limit, all are dropped and computed again.
 */
const maxKnown = 2048;

/** Finds the rules that apply to spans of a tenant, service and scope. */
export class RuleViews {
  readonly #rules: readonly CompiledRule[];
  readonly #only: RuleView | undefined;
  readonly #bySource = new Map<string, RuleView>();
  /** Views by the indexes of their rules: sources with the same rules share a view. */
  readonly #byRules = new Map<string, RuleView>();

  constructor(rules: readonly CompiledRule[]) {
    this.#rules = rules;
    const isConditional = rules.some(
      ({ services, scopes, tenants }) =>
        services !== undefined || scopes !== undefined || tenants !== undefined,
    );
    this.#only = isConditional ? undefined : new RuleView(rules);
  }

  /** The view of all spans, when no rule depends on service, scope or tenant. */
  get only(): RuleView | undefined {
    return this.#only;
  }

  of(tenant: string, service: string, scope: string): RuleView {
    const isKept = tenant.length + service.length + scope.length <= 3 * maxKeptName;
    const source = JSON.stringify([tenant, service, scope]);
    const known = this.#bySource.get(source);
    if (known !== undefined) {
      return known;
    }
    const rules = this.#rules.filter(
      (rule) =>
        (rule.tenants?.(tenant) ?? true) &&
        (rule.services?.(service) ?? true) &&
        (rule.scopes?.(scope) ?? true),
    );
    const numbers = rules.map(({ index }) => index).join();
    if (this.#bySource.size >= maxKnown || this.#byRules.size >= maxKnown) {
      this.#bySource.clear();
      this.#byRules.clear();
    }
    const view = this.#byRules.get(numbers) ?? new RuleView(rules);
    this.#byRules.set(numbers, view);
    if (isKept) {
      this.#bySource.set(source, view);
    }
    return view;
  }
}
