import { isJsonArray, isJsonObject, type JsonValue } from "server-core/json/json-value";

/** How far what a text comes to is from the config that is wanted. */
export interface Distance {
  /** 0 for the same. Something that is missing or too much weighs more than something in the wrong place. */
  readonly score: number;
  /** Paths of members that differ, at most so many. */
  readonly paths: readonly string[];
}

const maxPaths = 12;
const weightOfMissing = 8;

type Leaf = string | number | boolean | null;

/** Counts members by path and value, places in lists aside: `sign` 1 for those wanted, -1 for those there. */
function count(value: JsonValue, path: string, sign: number, counts: Map<string, number>): void {
  if (isJsonArray(value)) {
    if (value.length === 0) {
      add(counts, `${path}=[]`, sign);
    }
    for (const each of value) {
      count(each, `${path}/-`, sign, counts);
    }
  } else if (isJsonObject(value)) {
    if (Object.keys(value).length === 0) {
      add(counts, `${path}={}`, sign);
    }
    for (const [key, each] of Object.entries(value)) {
      count(each, `${path}/${key}`, sign, counts);
    }
  } else {
    add(counts, `${path}=${value}`, sign);
  }
}

function add(counts: Map<string, number>, key: string, sign: number): void {
  counts.set(key, (counts.get(key) ?? 0) + sign);
}

class Differences {
  count = 0;
  readonly paths: string[] = [];

  look(wanted: JsonValue | undefined, there: JsonValue | undefined, path: string): void {
    if (isJsonArray(wanted) && isJsonArray(there)) {
      for (let index = 0; index < Math.max(wanted.length, there.length); index++) {
        this.look(wanted[index], there[index], `${path}/${index}`);
      }
    } else if (isJsonObject(wanted) && isJsonObject(there)) {
      for (const key of new Set([...Object.keys(wanted), ...Object.keys(there)])) {
        this.look(
          Object.hasOwn(wanted, key) ? wanted[key] : undefined,
          Object.hasOwn(there, key) ? there[key] : undefined,
          `${path}/${key}`,
        );
      }
    } else if (wanted !== (there as Leaf | undefined)) {
      this.count++;
      if (this.paths.length < maxPaths) {
        this.paths.push(path);
      }
    }
  }
}

/** Compares what a text comes to with the config. */
export function distanceBetween(wanted: JsonValue, there: JsonValue): Distance {
  const differences = new Differences();
  differences.look(wanted, there, "/config");
  if (differences.count === 0) {
    return { score: 0, paths: [] };
  }
  const counts = new Map<string, number>();
  count(wanted, "", 1, counts);
  count(there, "", -1, counts);
  let missing = 0;
  for (const each of counts.values()) {
    missing += Math.abs(each);
  }
  return { score: missing * weightOfMissing + differences.count, paths: differences.paths };
}
