import type { SpansetOperator } from "traceql";
import { StorageError } from "../../../api/storage-error.ts";
import { noParent } from "./span-relations.ts";

/** A set of spans of a trace: an array with 1 for each span of the list `ids` that belongs to it, otherwise 0. */
export interface SpanSet {
  /** Index in the list of given sets or of computed sets, from 0. */
  readonly place: number;
  readonly isGiven: boolean;
  /** False when the set may contain spans that do not belong to it. */
  readonly isExact: boolean;
}

/**
 * SQL of an operation on one or two sets, by its number, for a single span. `a` is the value in the first set, `b` in
 * the second. `withDescendants` first looks one level up, then two levels more, then four.
 */
const operations = {
  both: "arrayMap((a, b) -> a AND b, sets[step.2], sets[step.3])",
  either: "arrayMap((a, b) -> a OR b, sets[step.2], sets[step.3])",
  without: "arrayMap((a, b) -> a AND NOT b, sets[step.2], sets[step.3])",
  whole: "arrayWithConstant(length(ids), has(sets[step.2], 1))",
  moreThan: "arrayWithConstant(length(ids), arraySum(sets[step.2]) > step.3)",
  below: "arrayMap((parent, a) -> a[parent], parents, arrayWithConstant(length(ids), sets[step.2]))",
  above: `arrayMap((place, above) -> has(above, place), arrayEnumerate(ids),
  arrayWithConstant(length(ids), arrayFilter((parent, a) -> a, parents, sets[step.2])))`,
  beside: `arrayMap((id, shared) -> has(shared, id), parent_ids,
  arrayWithConstant(length(ids), arrayFilter((id, a) -> a AND id != ${noParent}, parent_ids, sets[step.2])))`,
  withDescendants: `arrayFold((done, round) -> (
  arrayMap((a, above) -> a OR (done.1)[above], done.1, done.2), arrayMap(above -> (done.2)[above], done.2)),
  range(toUInt32(ceil(log2(length(ids) + 1)))), (sets[step.2], parents)).1`,
} as const;

type Operation = keyof typeof operations;

interface Step {
  readonly operation: Operation;
  readonly of: SpanSet;
  readonly with: SpanSet | bigint;
}

/**
 * Maximum number of operations that relate spans. A query with more fails, because each needs time and memory in
 * ClickHouse.
 */
const maxSteps = 200;

/**
 * Sets of spans of each trace, computed from other sets. The plan is data for a single SQL expression, which ClickHouse
 * parses in constant time. Separate expressions or subqueries would take seconds to parse.
 */
export class SpanSets {
  readonly #given = new Map<string, number>();
  readonly #steps = new Map<string, number>();
  readonly #program: Step[] = [];

  /** A set defined by a condition on spans. Equal conditions give the same set. */
  given(sql: string, isExact: boolean): SpanSet {
    const place = this.#given.get(sql) ?? this.#given.size;
    this.#given.set(sql, place);
    return { place, isGiven: true, isExact };
  }

  /** Conditions of the given sets, in order. */
  get conditions(): readonly string[] {
    return [...this.#given.keys()];
  }

  /**
   * SQL for the array of a set. It uses the columns `ids` and `parent_ids`. It also needs `parents`, the index of each
   * span's parent in `ids` or 0, and `given`, the arrays of the conditions.
   * @throws StorageError STORAGE_BAD_QUERY for too many operations
   */
  arraySql(set: SpanSet): string {
    if (this.#program.length > maxSteps) {
      throw new StorageError(
        "STORAGE_BAD_QUERY",
        `relating the query's spans takes ${this.#program.length} steps, over the limit of ${maxSteps}: ask for fewer within one another`,
      );
    }
    const numberOf = ({ place, isGiven }: SpanSet) => place + 1 + (isGiven ? 0 : this.#given.size);
    if (this.#program.length === 0) {
      return `given[${numberOf(set)}]`;
    }
    const names = Object.keys(operations);
    const steps = this.#program.map(
      ({ operation, of, with: other }) =>
        `(${names.indexOf(operation)}, ${numberOf(of)}, ${typeof other === "bigint" ? other : numberOf(other)})`,
    );
    const branches = Object.values(operations).map((sql, index) => `step.1 = ${index}, ${sql}`);
    return `arrayFold((sets, step) -> arrayPushBack(sets, multiIf(
${branches.join(",\n")}, [])),
CAST([${steps.join(", ")}], 'Array(Tuple(UInt8, UInt32, UInt64))'), given)[${numberOf(set)}]`;
  }

  /** The set that results from an operation on two sets. */
  combined(operator: SpansetOperator, left: SpanSet, right: SpanSet): SpanSet {
    switch (operator) {
      case "&&":
        return this.both(this.either(left, right), this.both(this.#whole(left), this.#whole(right)));
      case "||":
        return this.either(left, right);
      case ">":
        return this.both(right, this.#below(left));
      case "<":
        return this.both(right, this.#above(left));
      case "~":
        return this.both(right, this.#beside(left));
      case ">>":
        return this.both(right, this.#below(this.#withDescendants(left)));
      case "<<":
        return { ...this.both(right, this.#whole(this.combined(">>", right, left))), isExact: false };
      case "!>":
        return this.#without(right, this.#below(left));
      case "!<":
        return this.#without(right, this.#above(left));
      case "!>>":
        return this.#without(right, this.#below(this.#withDescendants(left)));
      case "!~":
      case "!<<":
        return { ...right, isExact: false };
      case "&>": {
        const children = this.combined(">", left, right);
        return this.either(children, this.both(left, this.#above(children)));
      }
      case "&<":
        return this.combined("&>", right, left);
      case "&~":
        return this.either(this.combined("~", left, right), this.combined("~", right, left));
      case "&>>": {
        const descendants = this.combined(">>", left, right);
        return { ...this.either(descendants, this.both(left, this.#whole(descendants))), isExact: false };
      }
      case "&<<":
        return this.combined("&>>", right, left);
    }
  }

  both(one: SpanSet, other: SpanSet): SpanSet {
    return this.#step("both", one, other, one.isExact && other.isExact);
  }

  either(one: SpanSet, other: SpanSet): SpanSet {
    return this.#step("either", one, other, one.isExact && other.isExact);
  }

  /** Equals `of` when `of` has more than `count` spans; otherwise the empty set. */
  moreThan(count: bigint, of: SpanSet): SpanSet {
    return this.both(of, this.#step("moreThan", of, count, false));
  }

  /** The spans of `set` that are not in `others`. The result is not exact when `others` is not exact. */
  #without(set: SpanSet, others: SpanSet): SpanSet {
    if (!others.isExact) {
      return { ...set, isExact: false };
    }
    return this.#step("without", set, others, set.isExact);
  }

  /** All spans of the trace, if the set has any span. */
  #whole(set: SpanSet): SpanSet {
    return this.#step("whole", set);
  }

  /** Children of the set's spans. */
  #below(set: SpanSet): SpanSet {
    return this.#step("below", set);
  }

  /** Parents of the set's spans. */
  #above(set: SpanSet): SpanSet {
    return this.#step("above", set);
  }

  /** Spans that share their parent with a span of the set, including that span itself. */
  #beside(set: SpanSet): SpanSet {
    return { ...this.#step("beside", set), isExact: false };
  }

  #withDescendants(set: SpanSet): SpanSet {
    return this.#step("withDescendants", set);
  }

  #step(
    operation: Operation,
    of: SpanSet,
    other: SpanSet | bigint = of,
    isExact: boolean = of.isExact,
  ): SpanSet {
    const nameOf = (one: SpanSet | bigint) =>
      typeof one === "bigint" ? one : `${one.isGiven ? "given" : "made"} ${one.place}`;
    const name = `${operation} ${nameOf(of)} ${nameOf(other)}`;
    let place = this.#steps.get(name);
    if (place === undefined) {
      place = this.#program.push({ operation, of, with: other }) - 1;
      this.#steps.set(name, place);
    }
    return { place, isGiven: false, isExact };
  }
}
