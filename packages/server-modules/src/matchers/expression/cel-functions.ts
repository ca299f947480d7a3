import { sortByKeys } from "./cel-lists.ts";
import { extremeFunctions } from "./cel-math.ts";
import {
  bool,
  bytes,
  type CelKind,
  double,
  duration,
  dyn,
  int,
  list,
  map,
  string,
  timestamp,
  type,
  uint,
} from "./cel-types.ts";

/** A signature: the types of the arguments (a method's target is the first), and the type of the result. */
export interface Overload {
  /** Types of the arguments. */
  readonly args: readonly CelKind[];
  /** Type of the result. */
  readonly result: CelKind;
}

/** Creates an overload from its result and its arguments. */
const of = (result: CelKind, ...args: CelKind[]): Overload => ({ args, result });
const anyList = list(dyn);
const anyMap = map(dyn, dyn);
const ordered = [bool, int, uint, double, string, bytes, timestamp, duration];
/** Overloads of `<` and similar operators; both operands have the same type. */
const comparison = ordered.map((each) => of(bool, each, each));
/** Overloads of arithmetic operators; both operands have the same type, because CEL does not convert. */
const arithmetic = [int, uint, double].map((each) => of(each, each, each));
/** Creates the overload of a text method from its result and its arguments. */
const text = (result: CelKind, ...args: CelKind[]) => [of(result, string, ...args)];
/** Overloads of methods that read a part of a timestamp, in UTC or in a given zone. */
const ofTime = [of(int, timestamp), of(int, timestamp, string)];
/** Overloads of methods that read a part of a timestamp or of a duration. */
const ofDay = [...ofTime, of(int, duration)];

/** Operators and functions called without a target. Source: the definition of CEL */
export const functions: Readonly<Record<string, readonly Overload[]>> = {
  "_&&_": [of(bool, bool, bool)],
  "_||_": [of(bool, bool, bool)],
  "!_": [of(bool, bool)],
  "-_": [of(int, int), of(double, double)],
  "_<_": comparison,
  "_<=_": comparison,
  "_>_": comparison,
  "_>=_": comparison,
  "_+_": [
    ...arithmetic,
    of(string, string, string),
    of(bytes, bytes, bytes),
    of(anyList, anyList, anyList),
    of(timestamp, timestamp, duration),
    of(timestamp, duration, timestamp),
    of(duration, duration, duration),
  ],
  "_-_": [
    ...arithmetic,
    of(duration, timestamp, timestamp),
    of(timestamp, timestamp, duration),
    of(duration, duration, duration),
  ],
  "_*_": arithmetic,
  "_/_": arithmetic,
  "_%_": [of(int, int, int), of(uint, uint, uint)],
  "@not_strictly_false": [of(bool, dyn)],
  size: [string, bytes, anyList, anyMap].map((each) => of(int, each)),
  type: [of(type, dyn)],
  dyn: [of(dyn, dyn)],
  bool: [of(bool, bool), of(bool, string)],
  int: [int, uint, double, string, timestamp].map((each) => of(int, each)),
  uint: [uint, int, double, string].map((each) => of(uint, each)),
  double: [double, int, uint, string].map((each) => of(double, each)),
  string: [string, bool, int, uint, double, bytes, timestamp, duration].map((each) => of(string, each)),
  bytes: [of(bytes, bytes), of(bytes, string)],
  timestamp: [timestamp, string, int].map((each) => of(timestamp, each)),
  duration: [of(duration, duration), of(duration, string)],
  matches: [of(bool, string, string)],
  ...Object.fromEntries(
    ["ceil", "floor", "round", "trunc"].map((name) => [`math.${name}`, [of(double, double)]]),
  ),
  ...Object.fromEntries(["isInf", "isNaN", "isFinite"].map((name) => [`math.${name}`, [of(bool, double)]])),
  ...Object.fromEntries(
    ["abs", "sign"].map((name) => [`math.${name}`, [int, uint, double].map((each) => of(each, each))]),
  ),
  "math.sqrt": [int, uint, double].map((each) => of(double, each)),
  ...Object.fromEntries(
    ["bitAnd", "bitOr", "bitXor"].map((name) => [`math.${name}`, [of(int, int, int), of(uint, uint, uint)]]),
  ),
  "math.bitNot": [of(int, int), of(uint, uint)],
  ...Object.fromEntries(
    ["bitShiftLeft", "bitShiftRight"].map((name) => [
      `math.${name}`,
      [of(int, int, int), of(uint, uint, int)],
    ]),
  ),
  ...Object.fromEntries(
    Object.values(extremeFunctions).map((name) => [
      name,
      [int, uint, double, dyn].map((each) => of(each, list(each))),
    ]),
  ),
  "lists.range": [of(list(int), int)],
  "strings.quote": [of(string, string)],
};

/** Methods: functions whose first argument is the target. */
export const methods: Readonly<Record<string, readonly Overload[]>> = {
  size: functions.size ?? [],
  matches: functions.matches ?? [],
  contains: text(bool, string),
  startsWith: text(bool, string),
  endsWith: text(bool, string),
  charAt: text(string, int),
  indexOf: [...text(int, string), ...text(int, string, int)],
  lastIndexOf: [...text(int, string), ...text(int, string, int)],
  lowerAscii: text(string),
  upperAscii: text(string),
  replace: [...text(string, string, string), ...text(string, string, string, int)],
  split: [...text(list(string), string), ...text(list(string), string, int)],
  substring: [...text(string, int), ...text(string, int, int)],
  trim: text(string),
  reverse: [of(string, string), of(anyList, anyList)],
  sort: [of(anyList, anyList)],
  [sortByKeys]: [of(anyList, anyList, anyList)],
  distinct: [of(anyList, anyList)],
  flatten: [of(anyList, anyList), of(anyList, anyList, int)],
  slice: [of(anyList, anyList, int, int)],
  join: [of(string, list(string)), of(string, list(string), string)],
  format: text(string, anyList),
  getFullYear: ofTime,
  getMonth: ofTime,
  getDate: ofTime,
  getDayOfMonth: ofTime,
  getDayOfWeek: ofTime,
  getDayOfYear: ofTime,
  getHours: ofDay,
  getMinutes: ofDay,
  getSeconds: ofDay,
  getMilliseconds: ofDay,
};
