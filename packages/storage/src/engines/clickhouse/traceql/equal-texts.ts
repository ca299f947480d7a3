import type { AttributeType } from "wire/model";
import { doubleText } from "wire/rows";
import type { Scalar } from "../../../traceql/query-value.ts";

/** A stored value: its type and its text. */
export type StoredText = readonly [type: AttributeType, text: string];

/**
 * All stored values that equal a constant, except elements of arrays.
 * @returns undefined when there are too many to list, or none
 */
export function equalTexts(constant: Scalar): readonly StoredText[] | undefined {
  switch (typeof constant) {
    case "string":
      return [["string", constant]];
    case "boolean":
      return [["bool", String(constant)]];
    case "bigint":
      return [["int", String(constant)], ...doubles(Number(constant))];
    case "number":
      return Number.isNaN(constant) ? undefined : numbers(constant);
    default:
      return undefined;
  }
}

/** Comparing an int with a double converts the int to a double, so several large ints equal one double. */
function numbers(value: number): readonly StoredText[] | undefined {
  if (!Number.isInteger(value)) {
    return doubles(value);
  }
  return Number.isSafeInteger(value) ? [["int", String(BigInt(value))], ...doubles(value)] : undefined;
}

function doubles(value: number): readonly StoredText[] {
  const texts = value === 0 ? ["0", "-0"] : [doubleText(value)];
  return texts.map((text) => ["double", text]);
}
