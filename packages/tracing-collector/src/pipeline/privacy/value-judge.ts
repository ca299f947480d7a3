import { type AttributeType, attributeTypeCodes } from "wire/model";
import { AttributeWriter, ByteWriter } from "wire/rows";
import { judgeValue } from "./judge-value.ts";
import type { PlanTable } from "./rule-view.ts";
import type { ValuePlan } from "./value-plan.ts";
import { type Verdict, VerdictCache } from "./verdict-cache.ts";

/** Result for an attribute that is removed. */
const gone = new Uint8Array(0);

/** A value in the bytes of rows. */
export interface PlacedValue {
  readonly type: AttributeType;
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** Plans for names inside of the value; undefined when no rule selects attributes by name. */
  readonly table: PlanTable | undefined;
}

/** Applies rules to values in the bytes of rows, and encodes the results. */
export class ValueJudge {
  readonly #cache = new VerdictCache();
  readonly #out = new ByteWriter(undefined, 64 * 1024, 1024);
  readonly #attributes = new AttributeWriter(this.#out);

  /** @throws WireError WIRE_MALFORMED for a value that does not fit its type */
  judge(plan: ValuePlan, value: PlacedValue): Verdict {
    const known = this.#cache.get(plan, value);
    if (known !== undefined) {
      return known;
    }
    const { type, bytes, start, end, table } = value;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString();
    const verdict = this.#verdictOf(plan, type, text, table);
    this.#cache.keep(plan, value, verdict);
    return verdict;
  }

  /** @returns bytes in the form that the plan requires: an attribute of a list, a tuple, or a text with its length */
  #verdictOf(plan: ValuePlan, type: AttributeType, text: string, table: PlanTable | undefined): Verdict {
    const judged = judgeValue(plan, type, text, table);
    const { hits, isRemoved } = judged;
    const isSame = !isRemoved && judged.type === type && judged.text === text && plan.newKey === plan.key;
    if (isSame) {
      return { bytes: undefined, hits };
    }
    if (plan.form !== "text" && isRemoved) {
      return { bytes: gone, hits };
    }
    return { bytes: this.#written(plan, judged.type, isRemoved ? "" : judged.text), hits };
  }

  /** Encodes an attribute for a list or a tuple, or a text with its length. */
  #written({ form, newKey }: ValuePlan, type: AttributeType, text: string): Uint8Array {
    const out = this.#out;
    const attributes = this.#attributes;
    out.clear();
    let from = 0;
    if (form === "text") {
      out.string(text);
    } else {
      if (form === "list") {
        attributes.beginList();
      } else {
        attributes.beginTuples(1);
      }
      from = out.length;
      attributes.key(attributeTypeCodes[type], newKey);
      attributes.value(text);
    }
    return Uint8Array.from(out.bytes.subarray(from));
  }
}
