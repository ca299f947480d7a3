import type { AttributeType } from "wire/model";
import { maxKeptName } from "./rule-view.ts";
import type { ValuePlan } from "./value-plan.ts";

/** Number of slots; a power of two, because a mask selects the slot. A new value replaces the value in its slot. */
const slotCount = 8192;
/** Size limit of cached values in bytes. Longer values are processed each time. */
const maxValueBytes = 8 * 1024;
/**
 * Size limit of the cache in bytes. Whole values are stored, so that they can be compared. Above the limit the cache is
 * emptied.
 */
const maxBytes = 8 * 1024 * 1024;

/** The result of the rules for a named value in the bytes of rows. */
export interface Verdict {
  /** Bytes that replace the attribute or text. Undefined: it is unchanged. Empty: the attribute is removed. */
  readonly bytes: Uint8Array | undefined;
  /** Indexes of the rules that applied to the value, including rules in a dry run. */
  readonly hits: readonly number[];
}

/** A value in bytes that are reused later. */
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

/** Caches verdicts about recent values, because most values of spans repeat. */
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

  /** Caches the verdict about a value. The bytes of the value are copied. */
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

/** FNV-1a hash of the bytes. Upper bits are mixed into lower bits, because the slot is taken from the lower bits. */
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
