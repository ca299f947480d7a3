import { type CelValue, isCelList, isCelMap, isCelUint } from "@bufbuild/cel";

/** A value with a natural order. */
type Scalar = bigint | number | string | boolean;

/** The parts of a value, compared in order: a timestamp or duration has seconds, then nanoseconds. */
function partsOf(value: CelValue): readonly Scalar[] | undefined {
  if (isCelUint(value)) {
    return [value.value];
  }
  if (value instanceof Uint8Array) {
    return [Buffer.from(value).toString("latin1")];
  }
  if (typeof value === "object" && value !== null && "message" in value) {
    const { seconds, nanos } = value.message as { seconds?: unknown; nanos?: unknown };
    return typeof seconds === "bigint" && typeof nanos === "number" ? [seconds, nanos] : undefined;
  }
  return typeof value === "object" ? undefined : [value];
}

/** Compares texts by code points, which equals the order of UTF-8 bytes. */
function compareScalars(a: Scalar, b: Scalar): number {
  if (typeof a === "string" && typeof b === "string") {
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  }
  if (a < b) {
    return -1;
  }
  return a > b ? 1 : 0;
}

/** @throws Error for values without an order */
export function compareValues(a: CelValue, b: CelValue): number {
  const [one, other] = [partsOf(a), partsOf(b)];
  if (one === undefined || other === undefined) {
    throw new Error("list elements must be comparable");
  }
  for (const [index, part] of one.entries()) {
    const order = compareScalars(part, other[index] ?? 0);
    if (order !== 0) {
      return order;
    }
  }
  return 0;
}

/** CEL equality: numbers of different types are equal when their values are. */
export function equalValues(a: CelValue, b: CelValue): boolean {
  if (isCelList(a) && isCelList(b)) {
    const others = [...b];
    return a.size === b.size && [...a].every((each, index) => equalValues(each, others[index] ?? null));
  }
  if (isCelMap(a) && isCelMap(b)) {
    return (
      a.size === b.size &&
      [...a].every(([key, value]) => {
        const other = b.get(key);
        return other !== undefined && equalValues(value, other);
      })
    );
  }
  const [one, other] = [partsOf(a), partsOf(b)];
  if (one === undefined || other === undefined) {
    return a === b;
  }
  const isNumber = (part: Scalar | undefined) => typeof part === "number" || typeof part === "bigint";
  return (
    one.length === other.length &&
    one.every((part, index) => {
      const second = other[index];
      // biome-ignore lint/suspicious/noDoubleEquals: 1 and 1n are equal in CEL.
      return isNumber(part) && isNumber(second) ? part == second : part === second;
    })
  );
}
