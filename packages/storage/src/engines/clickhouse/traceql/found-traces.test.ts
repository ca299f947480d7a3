import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TraceQlMatch } from "../../../api/traceql-reader.ts";
import { FoundTraces } from "./found-traces.ts";

const match = (traceId: string) => ({ traceId }) as TraceQlMatch;

interface Candidate {
  readonly id: string;
  /** Number of spans that may match, and number of spans that match. */
  readonly mayBe: number;
  readonly is: number;
}

describe("FoundTraces", () => {
  test("is complete with the last candidate itself, where others of its time come after it", () => {
    const found = new FoundTraces(1);
    expect(found.isComplete(0n)).toBe(false);
    found.add(match("b"), 5n);
    expect(found.isComplete(4n)).toBe(true);
    expect(found.isComplete(5n)).toBe(false);
    expect(found.isComplete(5n, "a")).toBe(false);
    expect(found.isComplete(5n, "b")).toBe(true);
    expect(found.isComplete(6n, "b")).toBe(false);
  });

  test("has what it would have of all candidates, once it is complete", () => {
    const candidate = fc
      .record({ id: fc.integer({ min: 0, max: 99 }), mayBe: fc.nat(4), less: fc.nat(2) })
      .map(({ id, mayBe, less }): Candidate => ({ id: String(id).padStart(2), mayBe, is: mayBe - less }));
    const candidates = fc.uniqueArray(candidate, { selector: ({ id }) => id, maxLength: 12 });
    fc.assert(
      fc.property(candidates, fc.integer({ min: 1, max: 4 }), (some, limit) => {
        const inOrder = some.toSorted(
          (one, other) => other.mayBe - one.mayBe || (one.id < other.id ? -1 : 1),
        );
        const [all, enough] = [new FoundTraces(limit), new FoundTraces(limit)];
        for (const { id, is } of inOrder) {
          all.add(match(id), BigInt(is));
        }
        for (const { id, is, mayBe } of inOrder) {
          enough.add(match(id), BigInt(is));
          if (enough.isComplete(BigInt(mayBe), id)) {
            break;
          }
        }
        expect(enough.newestFirst()).toEqual(all.newestFirst());
      }),
    );
  });
});
