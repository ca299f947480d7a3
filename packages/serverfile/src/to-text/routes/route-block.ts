// Numbers of groups. While a text is read, each repeated `handle`, each `rewrite` and each `root` takes a group name
// (`group0`, `group1`, …); inner blocks take theirs first. The config contains the numbers, but not the order of the
// text. This file reconstructs the order: statements with a known group number are placed by this number, and other
// statements fill the gaps.
//
// | list | numbers of the list |
// |---|---|
// | any list | 1 for `rewrite`, even if the list has no `rewrite` |
// | several `handle` | 1 more |
// | several `root` | 1 more |

import type { Route } from "../../routes/route.ts";
import { precedes } from "../../routes/sort-routes.ts";
import type { Line } from "../lines/line.ts";

/** A part of the text that takes group numbers (`group0`, `group1` …) while it is read. */
export interface Numbered {
  /** Count of group numbers that this part takes. */
  readonly groups: number;
  /** The first group number; undefined when no route of the block is in a group. */
  readonly firstGroup: number | undefined;
  /** Sorts the directives into the order in which they took their numbers. @param base first number */
  arrange(base: number): void;
}

/** A directive, with the group numbers that it takes while the text is read. */
export interface Statement {
  readonly directive: string;
  /** An older name of the directive, and the resulting route, for {@link withOlderNames}. */
  readonly older?: { readonly name: string; readonly route: Route };
  readonly line: Line;
  /** Blocks of routes in the directive, in reading order. */
  readonly blocks: readonly Numbered[];
  /** Count of group numbers that the directive itself takes, without the blocks inside it. */
  readonly ownGroups: number;
  /** The first group number that the directive itself takes; undefined when the config does not show it. */
  readonly firstGroup: number | undefined;
  /**
   * True when the block is a route of its list, and so counts for the list's group numbers. False for `handle_errors`
   * and `php_fastcgi`.
   */
  readonly isRoute: boolean;
}

/**
 * Applies older names in a sorted block, because the two names of a directive have different positions in the order. If
 * sorting would move a route before its predecessor, all routes before it must have had the older name.
 */
export function withOlderNames(statements: readonly Statement[]): readonly Statement[] {
  const named = new Set(statements.flatMap(({ older, directive }) => (older === undefined ? [] : directive)));
  const renamed = new Map<Statement, Statement>();
  for (const name of named) {
    const same = statements.filter(({ directive }) => directive === name);
    const last = same.findLastIndex(({ older }, at) => {
      const before = same[at - 1]?.older;
      return older !== undefined && before !== undefined && precedes(older.route, before.route);
    });
    for (const each of same.slice(0, Math.max(0, last))) {
      const directive = each.older?.name ?? name;
      const words = [directive, ...each.line.words.slice(1)];
      renamed.set(each, { ...each, directive, line: { ...each.line, words } });
    }
  }
  return statements.map((each) => renamed.get(each) ?? each);
}

/** Count of group numbers that the statement takes while it is read. */
export function groupsOf({ blocks, ownGroups }: Statement): number {
  return ownGroups + blocks.reduce((sum, block) => sum + block.groups, 0);
}

/** The first group number of the statement; undefined when the config does not show it. */
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

/** An item with a position in reading order. */
interface Placeable {
  /** Items with the same directive keep their order; undefined: all items keep their order. */
  readonly directive?: string;
  readonly groups: number;
  readonly firstGroup: number | undefined;
}

/** Directive whose lines are never reordered. */
const unsorted = "handle_errors";

/**
 * Sorts items into the order in which their groups were numbered. Items whose number the config does not show fill the
 * gaps between items with known numbers.
 * @param base number of the first group
 */
export function inReadingOrder<T extends Placeable>(items: readonly T[], base: number): T[] {
  const counted = items.filter(({ groups }) => groups > 0);
  const known = counted
    .filter(({ firstGroup }) => firstGroup !== undefined)
    .sort((a, b) => (a.firstGroup ?? 0) - (b.firstGroup ?? 0));
  if (known.length === 0) {
    return [...items];
  }
  const isKept = (item: T, index: number) =>
    item.directive !== unsorted ||
    known
      .slice(index)
      .every((other) => other.directive !== unsorted || items.indexOf(other) > items.indexOf(item));
  const free = new Set(counted.filter(({ firstGroup }) => firstGroup === undefined));
  let next = base;
  const ordered = known.flatMap((item, index) => {
    const { firstGroup = 0 } = item;
    // Each item that still fits fills the gap before the known number.
    const fillers = [...free].filter((each) => {
      const fits = next + each.groups <= firstGroup && isKept(each, index);
      next += fits ? each.groups : 0;
      return fits && free.delete(each);
    });
    next = firstGroup + item.groups;
    return [...fillers, item];
  });
  ordered.push(...free);
  if (ordered.every((item, index) => item === counted[index])) {
    return [...items];
  }
  // Items without a number stay after their predecessor, and before the next item with the same directive.
  const result = [...ordered];
  items.forEach((item, index) => {
    if (item.groups === 0) {
      const behind = Math.max(-1, ...items.slice(0, index).map((before) => result.indexOf(before)));
      const like = items
        .slice(index + 1)
        .filter(({ directive }) => directive !== undefined && directive === item.directive)
        .map((later) => result.indexOf(later))
        .filter((at) => at !== -1);
      result.splice(Math.min(behind + 1, ...like), 0, item);
    }
  });
  return result;
}

/** The directives of one list of routes. */
export class RouteBlock {
  #statements: readonly Statement[];
  /** True when the order of the text does not matter, because directives are sorted. */
  readonly isSorted: boolean;

  constructor(statements: readonly Statement[], isSorted: boolean) {
    this.#statements = statements;
    this.isSorted = isSorted;
  }

  /** Directives in their current order; `arrange` changes it. */
  get statements(): readonly Statement[] {
    return this.#statements;
  }

  /** The directives as lines that can be printed. */
  get lines(): readonly Line[] {
    return this.#statements.map(({ line }) => line);
  }

  /**
   * Count of numbers that the list itself takes: always one for `rewrite`, one if several `handle` exist, and one if
   * several `root` exist.
   */
  get listGroups(): number {
    const count = (...names: string[]) =>
      this.#statements.filter(({ directive, isRoute }) => isRoute && names.includes(directive)).length;
    return 1 + (count("handle", "handle_path") > 1 ? 1 : 0) + (count("root") > 1 ? 1 : 0);
  }

  /** Count of numbers that inner blocks take. */
  get innerGroups(): number {
    return this.#statements.reduce((sum, statement) => sum + groupsOf(statement), 0);
  }

  /** Count of numbers that the block takes while it is read. */
  get groups(): number {
    return this.innerGroups + this.listGroups;
  }

  /**
   * The first number of the list itself, without inner blocks; undefined when the config does not show it. Set by the
   * reader of the routes.
   */
  listFirstGroup: number | undefined;

  /** The first number of the block; undefined when the config does not show it. */
  get firstGroup(): number | undefined {
    const own = this.listFirstGroup;
    return own === undefined ? this.firstInnerGroup : own - this.innerGroups;
  }

  /** The number of the first directive that has a number; only a guess when directives are sorted. */
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

  /** Sorts the directives into their reading order. @param base number of the first group */
  arrange(base: number): void {
    if (this.isSorted) {
      const placed = this.#statements.map((statement) => ({
        statement,
        directive: statement.directive,
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
