import type { TemplateFunction } from "./evaluate-template.ts";
import { TemplateStruct } from "./go-types.ts";
import { TemplateError } from "./template-error.ts";
import { printed } from "./template-values.ts";

/** A version: `1.2.3-beta.1+build`. */
interface Version {
  readonly numbers: readonly [major: number, minor: number, patch: number];
  /** Text after the hyphen, such as `beta.1`; "" for a release. */
  readonly pre: string;
  /** Text after the plus; it does not count in comparisons. */
  readonly metadata: string;
  /** The text as it was given. */
  readonly original: string;
}

const versionForm =
  /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;

/** Reads a version; minor and patch may be missing. @throws TemplateError */
function parseVersion(original: string): Version {
  const found = versionForm.exec(original);
  if (found === null) {
    throw new TemplateError(`invalid semantic version ${JSON.stringify(original)}`);
  }
  const [, major, minor = 0, patch = 0, pre = "", metadata = ""] = found;
  return { numbers: [Number(major), Number(minor), Number(patch)], pre, metadata, original };
}

function comparePre(a: string, b: string): number {
  if (a === "" || b === "") {
    return a === b ? 0 : a === "" ? 1 : -1;
  }
  const [left, right] = [a.split("."), b.split(".")];
  for (const [index, one] of left.entries()) {
    const other = right[index];
    if (other === undefined) {
      return 1;
    }
    const [isNumber, isOther] = [/^\d+$/.test(one), /^\d+$/.test(other)];
    const order =
      isNumber && isOther
        ? Number(one) - Number(other)
        : isNumber !== isOther
          ? isNumber
            ? -1
            : 1
          : Number(one > other) - Number(one < other);
    if (order !== 0) {
      return Math.sign(order);
    }
  }
  return left.length < right.length ? -1 : 0;
}

/** Negative when `a` comes first. Source: semver.org 2.0.0, section 11 */
function compare(a: Version, b: Version): number {
  for (const index of [0, 1, 2] as const) {
    if (a.numbers[index] !== b.numbers[index]) {
      return a.numbers[index] - b.numbers[index];
    }
  }
  return comparePre(a.pre, b.pre);
}

/** One condition, such as `>=1.2`, `^1.2.3`, `1.x`. */
interface Condition {
  /** The operator; "" is `=`. */
  readonly operator: string;
  /** Version of the condition; omitted numbers are 0. */
  readonly version: Version;
  /** How many numbers of the version the condition names: 0 for `*`. */
  readonly named: number;
}

const conditionForm =
  /\s*(=|!=|>=|=>|<=|=<|>|<|~>|~|\^)?\s*v?([0-9]+|[xX*])(?:\.([0-9]+|[xX*]))?(?:\.([0-9]+|[xX*]))?(-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?\s*,?/y;

function parseConditions(text: string): Condition[] {
  // `1.2 - 1.4` is a range.
  const spread = text.replace(/(\S+)\s+-\s+(\S+)/g, ">=$1, <=$2");
  const conditions: Condition[] = [];
  conditionForm.lastIndex = 0;
  while (conditionForm.lastIndex < spread.length) {
    const found = conditionForm.exec(spread);
    if (found === null) {
      throw new TemplateError(`improper constraint: ${text}`);
    }
    const parts = found.slice(2, 5);
    const wild = parts.findIndex((part) => part === undefined || /^[xX*]$/.test(part));
    const named = wild === -1 ? 3 : wild;
    const numbers = parts.map((part, index) => (index < named ? part : "0")).join(".");
    conditions.push({ operator: found[1] ?? "", version: parseVersion(numbers + (found[5] ?? "")), named });
  }
  if (conditions.length === 0) {
    throw new TemplateError(`improper constraint: ${text}`);
  }
  return conditions;
}

/** The lowest version above all versions with the same first `count` numbers. */
function after({ numbers }: Version, count: number): Version {
  const next = numbers.map((each, index) => (index < count - 1 ? each : index === count - 1 ? each + 1 : 0));
  return { numbers: next as [number, number, number], pre: "", metadata: "", original: "" };
}

function isBetween(version: Version, from: Version, to: Version | undefined): boolean {
  return compare(version, from) >= 0 && (to === undefined || compare(version, to) < 0);
}

function meets(version: Version, { operator, version: limit, named }: Condition): boolean {
  // A pre-release meets only conditions that name a pre-release.
  if (version.pre !== "" && limit.pre === "") {
    return false;
  }
  const end = named === 0 ? undefined : after(limit, named);
  switch (operator) {
    case "":
    case "=":
      return named === 3 ? compare(version, limit) === 0 : isBetween(version, limit, end);
    case "!=":
      return named === 3 ? compare(version, limit) !== 0 : !isBetween(version, limit, end);
    case ">":
      return named === 3 ? compare(version, limit) > 0 : end !== undefined && compare(version, end) >= 0;
    case ">=":
    case "=>":
      return compare(version, limit) >= 0;
    case "<":
      return compare(version, limit) < 0;
    case "<=":
    case "=<":
      return named === 3 ? compare(version, limit) <= 0 : end === undefined || compare(version, end) < 0;
    case "^": {
      // The numbers up to the first one that is not 0 must be equal.
      const first = limit.numbers.findIndex((each) => each > 0);
      const kept = first === -1 ? named : Math.min(first + 1, named);
      return isBetween(version, limit, kept === 0 ? undefined : after(limit, kept));
    }
    default:
      return isBetween(version, limit, named === 0 ? undefined : after(limit, Math.min(named, 2)));
  }
}

/** Makes a version's fields as templates see them. */
function versionStruct(version: Version): TemplateStruct {
  const [major, minor, patch] = version.numbers;
  const text =
    version.numbers.join(".") +
    (version.pre === "" ? "" : `-${version.pre}`) +
    (version.metadata === "" ? "" : `+${version.metadata}`);
  const orderOf = (other: unknown) => Math.sign(compare(version, parseVersion(printed(other))));
  return new TemplateStruct(
    "*semver.Version",
    {
      Major: () => major,
      Minor: () => minor,
      Patch: () => patch,
      Prerelease: () => version.pre,
      Metadata: () => version.metadata,
      Original: () => version.original,
      String: () => text,
      Compare: orderOf,
      Equal: (other: unknown) => orderOf(other) === 0,
      LessThan: (other: unknown) => orderOf(other) < 0,
      GreaterThan: (other: unknown) => orderOf(other) > 0,
    },
    () => text,
  );
}

/**
 * Functions of the library sprig for versions: `semverCompare "^1.2" "1.3.0"`.
 * Source: masterminds.github.io/sprig, "Semantic Version Functions"
 */
export const sprigVersions: Readonly<Record<string, TemplateFunction>> = {
  semver: (text: unknown) => versionStruct(parseVersion(printed(text))),
  semverCompare: (constraint: unknown, text: unknown) => {
    const version = parseVersion(printed(text));
    return printed(constraint)
      .split("||")
      .map(parseConditions)
      .some((all) => all.every((condition) => meets(version, condition)));
  },
};
