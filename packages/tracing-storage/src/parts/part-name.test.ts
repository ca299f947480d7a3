import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { activeParts, type PartName, partNameOf } from "./part-name.ts";

describe("the name of a part", () => {
  test.each([
    ["all_1_1_0", "all", [1, 1, 0, 0]],
    ["20261125_3_17_2", "20261125", [3, 17, 2, 0]],
    ["20261125_3_17_2_21", "20261125", [3, 17, 2, 21]],
    ["20261125-7_0_0_0", "20261125-7", [0, 0, 0, 0]],
    [
      "c4ca4238a0b923820dcc509a6f75849b_1_9_999999999",
      "c4ca4238a0b923820dcc509a6f75849b",
      [1, 9, 999_999_999, 0],
    ],
  ])("%s is read", (text, partition, [first, last, level, mutation]) => {
    expect(partNameOf(text)).toEqual({ text, partition, first, last, level, mutation });
  });

  test.each([
    "",
    "detached",
    "format_version.txt",
    "mutation_7.txt",
    "deduplication_logs",
    "moving",
    "tmp_insert_all_1_1_0",
    "tmp_merge_all_1_2_1",
    "tmp_mut_all_1_1_0_3",
    "tmp-fetch_all_1_1_0",
    "delete_tmp_all_1_1_0",
    "delete_1_1_0",
    "tmp_1_1_0",
    "patch-0123456789abcdef-20261125_1_1_0",
    "broken-on-start_all_1_1_0",
    "all_1_1",
    "all_1_1_0_3_4",
    "all_1_1_0.proj",
    "all_1_1_0_try1",
    "all_-1_1_0",
    "all__1_1_0",
    "_1_1_0",
    "all_1_1_0 ",
    "all_1_1_0\n",
    " all_1_1_x",
  ])("%j is none", (text) => {
    expect(partNameOf(text)).toBeUndefined();
  });
});

function nameOf(partition: string, first: number, last: number, level: number, mutation: number): PartName {
  const numbers = [first, last, level, ...(mutation === 0 ? [] : [mutation])];
  const name = partNameOf([partition, ...numbers].join("_"));
  if (name === undefined) {
    throw new Error(`${partition}_${numbers.join("_")} is not the name of a part`);
  }
  return name;
}

/** Changes of a table. The number chooses the parts that are changed. */
const events = fc.array(
  fc.tuple(fc.constantFrom("insert", "merge", "mutate"), fc.nat(), fc.integer({ min: 1, max: 5 })),
  {
    maxLength: 40,
  },
);

/** Parts of a table after inserts, merges and mutations: the active parts, and the replaced ones. */
function partsAfter(history: readonly (readonly [event: string, which: number, count: number])[]) {
  const active: PartName[] = [];
  const replaced: PartName[] = [];
  // Blocks and mutations share one counter, for all partitions of a table.
  let number = 0;
  for (const [event, which, count] of history) {
    if (event === "insert") {
      number++;
      active.push(nameOf(`2026112${which % 3}`, number, number, 0, 0));
      continue;
    }
    const one = active[which % Math.max(active.length, 1)];
    if (one === undefined) {
      continue;
    }
    const others = active
      .filter(({ partition }) => partition === one.partition)
      .toSorted((part, other) => part.first - other.first);
    const begin = others.indexOf(one);
    // A merge may also have only one part: to drop some of its rows, or to optimize it.
    const merged = event === "merge" ? others.slice(begin, begin + count) : others;
    if (event === "mutate") {
      number++;
    }
    const groups = event === "merge" ? [merged] : merged.map((part) => [part]);
    for (const group of groups) {
      // Parts with different mutations are not merged.
      if (new Set(group.map(({ mutation }) => mutation)).size > 1) {
        continue;
      }
      const [from, to] = [group[0] as PartName, group.at(-1) as PartName];
      const level = Math.max(...group.map((part) => part.level));
      const made =
        event === "merge"
          ? nameOf(one.partition, from.first, to.last, level + 1, from.mutation)
          : nameOf(one.partition, from.first, from.last, from.level, number);
      for (const part of group) {
        active.splice(active.indexOf(part), 1);
        replaced.push(part);
      }
      active.push(made);
    }
  }
  return { active, replaced };
}

/** Parts that no other part contains. */
function naivelyActive(names: readonly PartName[]): PartName[] {
  const isIn = (inner: PartName, outer: PartName) =>
    inner !== outer &&
    inner.partition === outer.partition &&
    inner.first >= outer.first &&
    inner.last <= outer.last &&
    inner.level <= outer.level &&
    inner.mutation <= outer.mutation;
  return names.filter((name) => !names.some((other) => isIn(name, other)));
}

const texts = (names: readonly PartName[]) => names.map(({ text }) => text).toSorted();

describe("active parts", () => {
  test("are those that nothing has replaced, whichever of the others are still there", () => {
    fc.assert(
      fc.property(events, fc.infiniteStream(fc.boolean()), fc.nat(), (history, stays, turn) => {
        const { active, replaced } = partsAfter(history);
        const left = replaced.filter(() => stays.next().value);
        const all = [...left, ...active];
        const turned = [...all.slice(turn % (all.length + 1)), ...all.slice(0, turn % (all.length + 1))];
        const found = activeParts(turned);
        expect(texts(found)).toEqual(texts(active));
        expect(texts(found)).toEqual(texts(naivelyActive(turned)));
      }),
      { numRuns: 1_000 },
    );
  });

  test("are in the order of their blocks", () => {
    const names = ["a_10_12_1", "b_1_1_0", "a_2_2_0", "a_11_11_0", "b_3_9_2_10"].flatMap(
      (text) => partNameOf(text) ?? [],
    );
    expect(activeParts(names).map(({ text }) => text)).toEqual([
      "b_1_1_0",
      "a_2_2_0",
      "b_3_9_2_10",
      "a_10_12_1",
    ]);
    expect(activeParts([])).toEqual([]);
  });

  test("are not those of which all rows were dropped", () => {
    // An empty part replaces the parts of a dropped partition.
    const names = ["a_1_4_1", "a_5_5_0", "a_1_5_2", "a_6_6_0"].flatMap((text) => partNameOf(text) ?? []);
    expect(activeParts(names).map(({ text }) => text)).toEqual(["a_1_5_2", "a_6_6_0"]);
  });
});
