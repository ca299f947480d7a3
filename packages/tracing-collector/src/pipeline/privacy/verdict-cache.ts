import type { AttributeType } from "wire/model";
import { maxKeptName } from "./rule-view.ts";
import type { ValuePlan } from "./value-plan.ts";

/** A power of two, because a slot is found with a mask. Each value has one slot; the next value there replaces it. */
const slotCount = 8192;
/** Longer values are judged each time. */
const maxValueBytes = 8 * 1024;
/** Values are kept as they came, so that they are compared in whole. With more, all are forgotten. */
const maxBytes = 8 * 1024 * 1024;

/** The decision about a value with its name, in the bytes of rows. */
export interface Verdict {
  /** Instead of the attribute or text; undefined: it stays as it is. Empty: the attribute goes. */
  readonly bytes: Uint8Array | undefined;
  /** Indexes of the rules that meant the value, a rule in dry run included. */
  readonly hits: readonly number[];
}

/** A value in bytes that are used again. */
interface CachedValue {
  readonly type: AttributeType;
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

interface Slot {
  readonly plan: ValuePlan;
  readonly type: AttributeType;
  readonly value: Uint8Array;
  readonly verdict: Verdict;
}

/** Remembers verdicts about values that were judged lately: most values of spans repeat. */
export class VerdictCache {
  readonly #slots: (Slot | undefined)[] = new Array(slotCount).fill(undefined);
  #bytes = 0;

  /** @returns undefined when the value is not known */
  get(plan: ValuePlan, { type, bytes, start, end }: CachedValue): Verdict | undefined {
    const length = end - start;
    if (length > maxValueBytes) {
      return undefined;
    }
    const slot = this.#slots[slotOf(bytes, start, end)];
    const isKnown =
      slot !== undefined &&
      slot.plan === plan &&
      slot.type === type &&
      slot.value.length === length &&
      isSame(slot.value, bytes, start);
    return isKnown ? slot.verdict : undefined;
  }

  /** Remembers the verdict about a value, of which the bytes are copied. */
  keep(plan: ValuePlan, { type, bytes, start, end }: CachedValue, verdict: Verdict): void {
    if (end - start > maxValueBytes || plan.key.length > maxKeptName) {
      return;
    }
    if (this.#bytes > maxBytes) {
      this.#slots.fill(undefined);
      this.#bytes = 0;
    }
    const at = slotOf(bytes, start, end);
    const added = { plan, type, value: Buffer.from(bytes.subarray(start, end)), verdict };
    this.#bytes += sizeOf(added) - sizeOf(this.#slots[at]);
    this.#slots[at] = added;
  }
}

function sizeOf(slot: Slot | undefined): number {
  return slot === undefined ? 0 : slot.value.length + (slot.verdict.bytes?.length ?? 0);
}

/** FNV-1a of the bytes; the upper bits are folded down, because a slot is taken from the lower ones. */
function slotOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let index = start; index < end; index++) {
    hash = Math.imul(hash ^ (bytes[index] as number), 0x01000193);
  }
  return (hash ^ (hash >>> 15)) & (slotCount - 1);
}

function isSame(value: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let index = 0; index < value.length; index++) {
    if (value[index] !== bytes[start + index]) {
      return false;
    }
  }
  return true;
}
