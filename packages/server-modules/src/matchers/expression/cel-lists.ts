import {
  type CelFunc,
  type CelList,
  CelScalar,
  type CelValue,
  celFunc,
  celMethod,
  celType,
  isCelList,
  listType,
} from "@bufbuild/cel";
import { compareValues, equalValues } from "./cel-values.ts";

const { INT, STRING, DYN } = CelScalar;
/** Element types are not checked here, because the type check of the expression checks them. */
const anyList = listType(DYN);

/** Maximum number of numbers in a list from `lists.range`, so that an expression cannot fill the memory. */
const maxRange = 100_000n;

/** Internal function of the macro `sortBy`, called on the list of keys. */
export const sortByKeys = "@sortByAssociatedKeys";

/** @throws Error when the values have different types, or a type without an order */
function checkOrder(values: readonly CelValue[]): void {
  const [first] = values;
  if (first === undefined) {
    return;
  }
  compareValues(first, first);
  if (values.some((each) => String(celType(each)) !== String(celType(first)))) {
    throw new Error("list elements must have the same type");
  }
}

/** Flattens lists, up to `depth` levels. */
function flattened(values: Iterable<CelValue>, depth: bigint): CelValue[] {
  return [...values].flatMap((each) =>
    isCelList(each) ? (depth > 1n ? flattened(each, depth - 1n) : [...each]) : [each],
  );
}

/** `[1, [2, [3]]].flatten()` is `[1, 2, [3]]`; `flatten(2)` flattens the next level too. */
function flatten(values: CelList, depth: bigint): CelValue[] {
  if (depth < 0n) {
    throw new Error("level must be non-negative");
  }
  return depth === 0n ? [...values] : flattened(values, depth);
}

/** `[1, 2, 3].slice(1, 3)` is `[2, 3]`. Bounds outside the list are an error. */
function slice(values: CelList, start: bigint, end: bigint): CelValue[] {
  if (start < 0n || end < 0n || start > end || end > BigInt(values.size)) {
    throw new Error(`cannot slice(${start}, ${end}), the list has ${values.size} elements`);
  }
  return [...values].slice(Number(start), Number(end));
}

/** List methods. Source: the CEL extensions of Caddy 2.11 */
export const listFunctions: readonly CelFunc[] = [
  celMethod("reverse", anyList, [], anyList, function () {
    return [...this].reverse();
  }),
  celMethod("reverse", STRING, [], STRING, function () {
    return [...this].reverse().join("");
  }),
  celMethod("sort", anyList, [], anyList, function () {
    const values = [...this];
    checkOrder(values);
    return values.sort(compareValues);
  }),
  celMethod(sortByKeys, anyList, [anyList], anyList, function (values) {
    const keys = [...this];
    checkOrder(keys);
    const sorted = [...values].map((value, index) => ({ value, key: keys[index] ?? null }));
    return sorted.sort((a, b) => compareValues(a.key, b.key)).map(({ value }) => value);
  }),
  celMethod("distinct", anyList, [], anyList, function () {
    const values = [...this];
    return values.filter((each, index) => values.findIndex((other) => equalValues(each, other)) === index);
  }),
  celMethod("flatten", anyList, [], anyList, function () {
    return flatten(this, 1n);
  }),
  celMethod("flatten", anyList, [INT], anyList, function (depth) {
    return flatten(this, depth);
  }),
  celMethod("slice", anyList, [INT, INT], anyList, function (start, end) {
    return slice(this, start, end);
  }),
  celFunc("lists.range", [INT], anyList, (count) => {
    if (count > maxRange) {
      throw new Error(`lists.range(${count}): limit ${maxRange}`);
    }
    return Array.from({ length: Math.max(Number(count), 0) }, (_, index) => BigInt(index));
  }),
];
