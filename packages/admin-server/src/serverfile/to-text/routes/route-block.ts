import type { Line } from "../lines/line.ts";

/** Something that takes numbers of groups while it is read. */
export interface Numbered {
  /** How many. */
  readonly groups: number;
  /** The first, as far as the config tells. */
  readonly firstGroup: number | undefined;
  /** Puts what is in it into the order in which it was read. @param base the first number */
  arrange(base: number): void;
}

/** A directive with what its reading does to the numbers of groups: `group0`, `group1` … are handed out as a text is read. */
export interface Statement {
  readonly directive: string;
  readonly line: Line;
  /** Blocks of routes in it, in the order in which they are read. */
  readonly blocks: readonly Numbered[];
  /** Numbers that it takes itself. */
  readonly ownGroups: number;
  /** The first of those, as far as the config tells. */
  readonly firstGroup: number | undefined;
  /** Whether it stands where it is, among its like. */
  readonly isRoute: boolean;
}

/** How many numbers reading it takes. */
export function groupsOf({ blocks, ownGroups }: Statement): number {
  return ownGroups + blocks.reduce((sum, block) => sum + block.groups, 0);
}

/** The first number that reading it takes, if the config tells. */
export function firstGroupOf(statement: Statement): number | undefined {
  let before = 0;
  for (const block of statement.blocks) {
    if (block.firstGroup !== undefined) {
      return block.firstGroup - before;
    }
    before += block.groups;
  }
  return statement.firstGroup === undefined ? undefined : statement.firstGroup - before;
}

/** What has a place in the order of reading. */
interface Placeable {
  readonly groups: number;
  readonly firstGroup: number | undefined;
}

/**
 * Puts things into the order in which their groups were numbered; those of which the config does not tell fill the gaps.
 * @param base number of the first
 */
export function inReadingOrder<T extends Placeable>(items: readonly T[], base: number): T[] {
  const counted = items.filter(({ groups }) => groups > 0);
  const known = counted
    .filter(({ firstGroup }) => firstGroup !== undefined)
    .sort((a, b) => (a.firstGroup ?? 0) - (b.firstGroup ?? 0));
  if (known.length === 0) {
    return [...items];
  }
  const unknown = counted.filter(({ firstGroup }) => firstGroup === undefined);
  const ordered: T[] = [];
  let next = base;
  for (const item of known) {
    while (next < (item.firstGroup ?? 0)) {
      const gap = (item.firstGroup ?? 0) - next;
      const at = unknown.findIndex(({ groups }) => groups <= gap);
      const [filler] = at === -1 ? [] : unknown.splice(at, 1);
      if (filler === undefined) {
        break;
      }
      ordered.push(filler);
      next += filler.groups;
    }
    ordered.push(item);
    next = (item.firstGroup ?? 0) + item.groups;
  }
  ordered.push(...unknown);
  if (ordered.every((item, index) => item === counted[index])) {
    return [...items];
  }
  // What takes no number stays behind what it was behind.
  const result = [...ordered];
  items.forEach((item, index) => {
    if (item.groups === 0) {
      const before = items[index - 1];
      result.splice(before === undefined ? 0 : result.indexOf(before) + 1, 0, item);
    }
  });
  return result;
}

/** The directives of one list of routes. */
export class RouteBlock {
  #statements: readonly Statement[];
  /** Whether the text's order does not matter, since directives are sorted. */
  readonly isSorted: boolean;
  /** Lines before the directives. */
  readonly #head: readonly Line[];

  constructor(statements: readonly Statement[], isSorted: boolean, head: readonly Line[] = []) {
    this.#statements = statements;
    this.isSorted = isSorted;
    this.#head = head;
  }

  get statements(): readonly Statement[] {
    return this.#statements;
  }

  get lines(): readonly Line[] {
    return [...this.#head, ...this.#statements.map(({ line }) => line)];
  }

  /** Numbers of the list itself: one for `rewrite`, whether there or not, one each for several `handle` and `root`. */
  get listGroups(): number {
    const count = (...names: string[]) =>
      this.#statements.filter(({ directive, isRoute }) => isRoute && names.includes(directive)).length;
    return 1 + (count("handle", "handle_path") > 1 ? 1 : 0) + (count("root") > 1 ? 1 : 0);
  }

  /** Numbers of what is in it. */
  get innerGroups(): number {
    return this.#statements.reduce((sum, statement) => sum + groupsOf(statement), 0);
  }

  get groups(): number {
    return this.innerGroups + this.listGroups;
  }

  /** The first number of the list itself, as far as the config tells. Set by who reads the routes. */
  listFirstGroup: number | undefined;

  get firstGroup(): number | undefined {
    if (this.listFirstGroup !== undefined) {
      return this.listFirstGroup - this.innerGroups;
    }
    return this.firstInnerGroup;
  }

  /** The number of the first directive that takes one; a guess when directives are sorted. */
  get firstInnerGroup(): number | undefined {
    let before = 0;
    let first: number | undefined;
    for (const statement of this.#statements) {
      const known = firstGroupOf(statement);
      if (known !== undefined && (first === undefined || known < first)) {
        first = this.isSorted ? known - before : (first ?? known - before);
      }
      before += known === undefined || !this.isSorted ? groupsOf(statement) : 0;
    }
    return first;
  }

  /** Puts the directives into the order in which they were read. @param base number of the first group in it */
  arrange(base: number): void {
    if (this.isSorted) {
      const placed = this.#statements.map((statement) => ({
        statement,
        groups: groupsOf(statement),
        firstGroup: firstGroupOf(statement),
      }));
      this.#statements = inReadingOrder(placed, base).map(({ statement }) => statement);
    }
    let next = base;
    for (const { blocks, ownGroups } of this.#statements) {
      for (const block of blocks) {
        block.arrange(next);
        next += block.groups;
      }
      next += ownGroups;
    }
  }
}
